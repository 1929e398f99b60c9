import { bodyJson, type SimulatedResponse, json, type SimRequest } from '../http/answer.ts';
import { isObject, notAnObject, type Body } from '../json.ts';
import { type Random, shuffle } from '../time/random.ts';
import { formProblems, scheduleProblem } from './forms.ts';
import { idOf, type IntegrationBook, integrationJson } from './integrations.ts';
import type { Counting } from './stats.ts';
import type { TypeAction, TypeBook, TypeChange } from './types.ts';

const pageSize = 20;
const notFound = json(404, { detail: 'Not found.' });

/** Dependencies of the read side of the platform's API. */
export interface DirectoryDependencies {
  readonly integrations: IntegrationBook;
  readonly types: TypeBook;
  readonly random: Random;
  /** Scheme and host in `next` links; another than the caller's, as behind a gateway. */
  readonly linkBase: string;
}

/** `GET /v2/integrations/{id}/` */
export const showIntegration = ({ integrations, types }: DirectoryDependencies, id: string): SimulatedResponse => {
  const found = integrations.get(id);
  return found && !found.hidden ? json(200, integrationJson(found, types)) : notFound;
};

/** `GET /v2/integrations/{id}/api-key/` */
export const showKey = ({ integrations }: DirectoryDependencies, id: string): SimulatedResponse => {
  const found = integrations.get(id);
  return found && !found.hidden ? json(200, { api_key: found.api_key }) : notFound;
};

const link = (base: string, query: URLSearchParams, page: number): string => {
  const next = new URLSearchParams(query);
  next.set('page', String(page));
  return `${base}/v2/integrations/?${next.toString()}`;
};

/** `GET /v2/integrations/`: 20 a page, of rows without an order; `search` matches any part of the type's slug. */
export const listIntegrations = (
  { integrations, types, linkBase, random }: DirectoryDependencies,
  query: URLSearchParams,
): SimulatedResponse => {
  const search = query.get('search') ?? '';
  const enabled = query.get('enabled');
  const matching = integrations
    .list()
    .filter(({ hidden, type }) => !hidden && type.includes(search))
    .filter((integration) => enabled === null || String(integration.enabled) === enabled.toLowerCase());
  const page = Number(query.get('page') ?? '1');
  const pages = Math.max(1, Math.ceil(matching.length / pageSize));
  if (!Number.isInteger(page) || page < 1 || page > pages) return json(404, { detail: 'Invalid page.' });
  const rows = pages > 1 ? shuffle(random, matching) : matching;
  return json(200, {
    next: page < pages ? link(linkBase, query, page + 1) : null,
    previous: page > 1 ? link(linkBase, query, page - 1) : null,
    results: rows.slice((page - 1) * pageSize, page * pageSize).map((found) => integrationJson(found, types)),
  });
};

const slugForm = /^[a-z0-9_]+$/;
const actionTypes = new Set(['auth', 'pull', 'push', 'generic']);

const actionProblem = (action: unknown): string | undefined => {
  if (!isObject(action)) return notAnObject;
  if (typeof action['value'] !== 'string' || !slugForm.test(action['value'])) return 'value: enter a valid slug.';
  if (!actionTypes.has(String(action['type']))) return `type: "${String(action['type'])}" is not a valid choice.`;
  if (!isObject(action['schema'])) return 'schema: expected a dictionary.';
  const { crontab_schedule: schedule } = action;
  const problem = schedule === undefined ? undefined : scheduleProblem(schedule);
  return problem === undefined ? undefined : `crontab_schedule: ${problem}`;
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

const noteForms = ({ violation }: Pick<Counting, 'violation'>, { actions, webhook }: TypeChange): void => {
  for (const { value, schema, ui_schema } of [...(actions ?? []), ...(webhook ? [webhook] : [])])
    for (const problem of formProblems(schema, ui_schema)) violation(`form of ${value}: ${problem}`);
};

/** Handles `POST /v2/integrations/types/`: 201 every time, 400 with the problems by member, 403 for others than superusers. */
export const register = async (
  { types, counting }: { readonly types: TypeBook; readonly counting: Pick<Counting, 'violation'> },
  superuser: boolean,
  request: SimRequest,
): Promise<SimulatedResponse> => {
  if (!superuser) return json(403, { detail: 'You do not have permission to perform this action.' });
  const body = await bodyJson(request);
  if (body === undefined) return json(400, { detail: 'JSON parse error' });
  if (!isObject(body)) return json(400, { non_field_errors: [notAnObject] });
  const value = typeof body['value'] === 'string' ? body['value'].trim().toLowerCase() : '';
  const problems = problemsOf(body, value);
  if (Object.keys(problems).length > 0) return json(400, problems);
  const change = changeOf(body, value);
  noteForms(counting, change);
  const { name, description, service_url } = types.register(change);
  return json(201, { id: idOf('type', value), name, value, description, service_url });
};
