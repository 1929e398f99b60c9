import { json, type Answer, type SimRequest } from '../http/answer.ts';
import type { TypeAction, TypeBook, TypeChange } from './types.ts';

type Body = Record<string, unknown>;

const isObject = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const slugForm = /^[a-z0-9_]+$/;
const actionTypes = new Set(['auth', 'pull', 'push', 'generic']);

const actionProblem = (action: unknown): string | undefined => {
  if (!isObject(action)) return 'Invalid data. Expected a dictionary.';
  if (typeof action['value'] !== 'string' || !slugForm.test(action['value'])) return 'value: enter a valid slug.';
  if (!actionTypes.has(String(action['type']))) return `type: "${String(action['type'])}" is not a valid choice.`;
  return isObject(action['schema']) ? undefined : 'schema: expected a dictionary.';
};

const urlProblem = (url: unknown): string | undefined => {
  if (url === undefined) return undefined;
  if (typeof url !== 'string' || !URL.canParse(url)) return 'Enter a valid URL.';
  const { pathname } = new URL(url);
  return pathname === '/' || pathname.endsWith('/') ? undefined : 'A path must end in a slash.';
};

const problemsOf = (body: Body, value: string): Record<string, string[]> => {
  const problems: Record<string, string[]> = {};
  if (!slugForm.test(value)) problems['value'] = ['Enter a valid "slug" of letters, numbers or underscores.'];
  const url = urlProblem(body['service_url']);
  if (url !== undefined) problems['service_url'] = [url];
  const { actions, webhook } = body;
  if (actions !== undefined && !Array.isArray(actions)) problems['actions'] = ['Expected a list of items.'];
  const wrong = Array.isArray(actions)
    ? actions.map(actionProblem).find((problem) => problem !== undefined)
    : undefined;
  if (wrong !== undefined) problems['actions'] = [wrong];
  if (webhook !== undefined && !(isObject(webhook) && typeof webhook['value'] === 'string'))
    problems['webhook'] = ['Expected a dictionary with a value.'];
  return problems;
};

const changeOf = (body: Body, value: string): TypeChange => ({
  value,
  ...(typeof body['name'] === 'string' && body['name'] !== '' ? { name: body['name'] } : {}),
  ...(typeof body['description'] === 'string' ? { description: body['description'] } : {}),
  ...(typeof body['service_url'] === 'string' ? { service_url: body['service_url'] } : {}),
  ...(Array.isArray(body['actions']) ? { actions: body['actions'] as TypeAction[] } : {}),
  ...(isObject(body['webhook']) ? { webhook: body['webhook'] as Body & { value: string } } : {}),
});

/** Handles `POST /v2/integrations/types/`: 201 every time, 400 with the problems by member, 403 for others than superusers. */
export const register = async (types: TypeBook, superuser: boolean, request: SimRequest): Promise<Answer> => {
  if (!superuser) return json(403, { detail: 'You do not have permission to perform this action.' });
  let body: unknown;
  try {
    body = JSON.parse((await request.body()).toString());
  } catch {
    return json(400, { detail: 'JSON parse error' });
  }
  if (!isObject(body)) return json(400, { non_field_errors: ['Invalid data. Expected a dictionary.'] });
  const value = typeof body['value'] === 'string' ? body['value'].trim().toLowerCase() : '';
  const problems = problemsOf(body, value);
  if (Object.keys(problems).length > 0) return json(400, problems);
  const { name, description, service_url } = types.register(changeOf(body, value));
  return json(201, { name, value, description, service_url });
};
