import { bodyJson, type SimulatedResponse, json, type SimRequest } from '../../http/answer.ts';
import { struckBy, type Place, type TerminalFault } from '../../switches/fault-registry.ts';
import { faultyAnswer, whenOf } from '../../switches/fault.ts';
import type { Arrival, ItemKind, Outcome } from '../ingest-log.ts';
import { judgeKey, settle, type SensorDependencies } from './parts.ts';
import { breaksPlatform, type ItemProblems, schemas, validate } from './validate.ts';

/** Kinds that come in lists. */
type ListedKind = Exclude<ItemKind, 'attachment' | 'event_change'>;

const maxChunk = 100;

/** One request's items on their way through the platform. */
interface Batch {
  readonly kind: ListedKind;
  readonly items: readonly unknown[];
  readonly asList: boolean;
  readonly integration: string | null;
  readonly caller: string | undefined;
  readonly place: Place;
}

type Item = Readonly<Record<string, unknown>>;

/** Writes all items down with their outcomes and sends the answer. */
const settleAll = (
  parts: SensorDependencies,
  batch: Batch,
  outcomes: (index: number) => Partial<Arrival> & { outcome: Outcome },
  answer: SimulatedResponse,
): SimulatedResponse => {
  const arrivals = batch.items.map((item, index): Arrival => {
    const { kind, integration } = batch;
    return { integration, kind, status: answer.status, item, ...outcomes(index) };
  });
  return settle(parts, arrivals, batch.caller, answer);
};

const problemsOf = (parts: SensorDependencies, batch: Batch): readonly ItemProblems[] =>
  batch.items.map((item) => {
    const { problems, unknown } = validate(batch.kind, schemas[batch.kind], item);
    for (const name of unknown) parts.counting.violation(`unknown field ${batch.kind}.${name.slice(0, 40)}`);
    for (const name of Object.keys(problems)) parts.counting.violation(`refused field ${batch.kind}.${name}`);
    if (!parts.switches.refuses(batch.place, item)) return problems;
    return { ...problems, non_field_errors: ['Refused by a switch.'] };
  });

const refuse = (parts: SensorDependencies, batch: Batch, problems: readonly ItemProblems[]): SimulatedResponse =>
  settleAll(parts, batch, () => ({ outcome: 'refused' }), json(400, batch.asList ? problems : problems[0]));

/** Marks and stores; the marks come first, so that a fault in between loses items. */
const store = (
  parts: SensorDependencies,
  batch: Batch,
  integration: string,
  terminal: TerminalFault | undefined,
): SimulatedResponse => {
  const { random, dedup, clock, events } = parts;
  const keep = terminal === undefined || whenOf(terminal) === 'after';
  const reach = terminal?.fault === 'short_list' ? Math.ceil(batch.items.length / 2) : batch.items.length;
  const created = new Date(clock.now()).toISOString();
  const results = batch.items.slice(0, reach).map((item) => {
    const repeated = dedup.seen(batch.kind, integration, item as Item);
    const object_id = random.uuid();
    const outcome: Outcome = repeated ? 'duplicate' : keep ? 'stored' : 'marked';
    if (batch.kind === 'event' && outcome === 'stored') events.add(object_id, integration);
    return { object_id, outcome };
  });
  const bodies = results.map(({ object_id }) => ({ object_id, created_at: created }));
  const good = json(200, batch.asList ? bodies : bodies[0]);
  const answer = terminal === undefined ? good : faultyAnswer(terminal, good);
  return settleAll(parts, batch, (index) => results[index] ?? { outcome: 'failed' }, answer);
};

const noteSize = (parts: SensorDependencies, items: readonly unknown[]): void => {
  parts.counting.chunk(items.length);
  if (items.length > maxChunk) parts.counting.violation('chunk over 100');
  if (items.length === 0) parts.counting.violation('empty list');
};

/** Handles a POST of an object or a list of one kind (platform contract, section 1, Sensors API). */
export const takeItems = async (
  parts: SensorDependencies,
  kind: ListedKind,
  request: SimRequest,
): Promise<SimulatedResponse> => {
  const raw = await bodyJson(request);
  const asList = Array.isArray(raw);
  const items: readonly unknown[] = asList ? raw : raw === undefined ? [] : [raw];
  const verdict = judgeKey(parts.integrations, request.headers['apikey']);
  const { integration } = verdict;
  const place: Place = { endpoint: `${kind}s`, sensors: true, integration };
  const batch: Batch = { kind, items, asList, integration, caller: request.caller, place };

  const terminal = await struckBy(parts.switches, parts.clock, place);
  const fail = (answer: SimulatedResponse): SimulatedResponse =>
    settleAll(parts, batch, () => ({ outcome: 'failed' }), answer);
  if (terminal && whenOf(terminal) === 'before') return fail(faultyAnswer(terminal));
  if (verdict.refusal) return settleAll(parts, batch, () => ({ outcome: 'refused' }), verdict.refusal(items, asList));
  if (raw === undefined) return json(400, { detail: 'JSON parse error' });
  noteSize(parts, items);
  const problems = problemsOf(parts, batch);
  if (problems.some((problem) => Object.keys(problem).length > 0)) return refuse(parts, batch, problems);
  // Each item is asked about, so that switches count them all.
  if (items.filter((item) => parts.switches.failsOn(place, item)).length > 0)
    return fail(json(500, { detail: 'Server Error (500)' }));
  if (items.some((item) => breaksPlatform(kind, item))) {
    parts.counting.violation('text that breaks the platform');
    return fail(json(500, { detail: 'Server Error (500)' }));
  }
  return store(parts, batch, verdict.integration, terminal);
};
