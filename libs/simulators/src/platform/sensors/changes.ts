import { hash } from 'node:crypto';
import { bodyJson, type SimulatedResponse, json, type SimRequest } from '../../http/answer.ts';
import { struckBy } from '../../switches/fault-registry.ts';
import { faultyAnswer, whenOf } from '../../switches/fault.ts';
import type { ItemKind, Outcome } from '../ingest-log.ts';
import { judgeKey, settle, type SensorDependencies } from './parts.ts';
import { schemas, validate } from './validate.ts';

/** Parsed request about one event. */
interface Change {
  readonly kind: Extract<ItemKind, 'event_change' | 'attachment'>;
  /** For the ingest log. */
  readonly item: unknown;
  /** Why it is refused with 400. */
  readonly problem: unknown;
}

const apply = async (
  parts: SensorDependencies,
  endpoint: string,
  id: string,
  request: SimRequest,
  change: Change,
): Promise<SimulatedResponse> => {
  const verdict = judgeKey(parts.integrations, request.headers['apikey']);
  const { integration } = verdict;
  const terminal = await struckBy(parts.switches, parts.clock, { endpoint, sensors: true, integration });
  const end = (outcome: Outcome, answer: SimulatedResponse): SimulatedResponse => {
    const arrival = { integration, kind: change.kind, outcome, status: answer.status, item: change.item };
    return settle(parts, [arrival], request.caller, answer);
  };
  if (terminal && whenOf(terminal) !== 'after') return end('failed', faultyAnswer(terminal));
  if (verdict.refusal) return end('refused', verdict.refusal([change.item], false));
  if (!parts.events.has(id, verdict.integration)) return end('refused', json(404, { detail: 'Not found.' }));
  if (change.problem !== undefined) return end('refused', json(400, change.problem));
  const now = new Date(parts.clock.now()).toISOString();
  const good = json(200, { object_id: id, created_at: now, updated_at: now });
  return end('stored', terminal ? faultyAnswer(terminal, good) : good);
};

const changeProblem = (item: unknown): unknown => {
  const { problems } = validate('event_change', schemas.event_change, item);
  if (Object.keys(problems).length > 0) return problems;
  return Object.keys(item as object).length === 1
    ? undefined
    : { non_field_errors: ['Exactly one change is expected.'] };
};

/** Handles `PATCH events/{id}/`: exactly one change. */
export const takeChange = async (
  parts: SensorDependencies,
  id: string,
  request: SimRequest,
): Promise<SimulatedResponse> => {
  const item = await bodyJson(request);
  if (item === undefined) return json(400, { detail: 'JSON parse error' });
  const shown = typeof item === 'object' && item !== null ? { ...item, event: id } : item;
  return apply(parts, 'event_changes', id, request, {
    kind: 'event_change',
    item: shown,
    problem: changeProblem(item),
  });
};

/** Handles `POST events/{id}/attachments/`: a multipart form; of several files the last is kept. */
export const takeAttachment = async (
  parts: SensorDependencies,
  id: string,
  request: SimRequest,
): Promise<SimulatedResponse> => {
  const headers = { 'content-type': request.headers['content-type'] ?? '' };
  const body = await request.body();
  const form = await new Response(body, { headers }).formData().catch(() => undefined);
  const files = (form?.getAll('file') ?? []).filter((part) => typeof part !== 'string');
  const file = files.at(-1);
  if (files.length > 1) parts.counting.violation('several files in one attachment call');
  const problem = file === undefined ? { file: ['No file was submitted.'] } : undefined;
  const bytes = new Uint8Array((await file?.arrayBuffer()) ?? []);
  const known = file && { type: file.type, sha256: hash('sha256', bytes) };
  const item = { event: id, name: file?.name ?? null, bytes: file?.size ?? null, ...known };
  return apply(parts, 'attachments', id, request, { kind: 'attachment', item, problem });
};
