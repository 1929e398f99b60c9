import { type Body } from '../../json.ts';
import type { SimulatedResponse } from '../../http/answer.ts';
import { clash, created, deleted, failed, ok, refused } from '../answers/envelope.ts';
import { flag, overlong, position, refusal, type Rule, taken, text } from '../answers/fields.ts';
import { pageOfRows, type Place, rowsOf } from '../answers/paging.ts';
import { permissions } from '../permissions.ts';
import type { Choice } from '../state/records.ts';
import { asks, type Call, type Route, type Run, withObject } from './call.ts';

const matcher = ({ switches, query }: Call) => {
  const anyCase = switches.choice_filter === 'any_case';
  const fold = (value: string): string => (anyCase ? value.toLowerCase() : value);
  return (name: 'model' | 'field', value: string): boolean => {
    const wanted = switches.choice_filter === 'ignored' ? null : query.get(name);
    return wanted === null || fold(value) === fold(wanted);
  };
};

/** By `ordernum`, null last. */
const placeOf = ({ ordernum, id }: Choice): Place => [ordernum ?? Number.MAX_SAFE_INTEGER, id];

/**
 * Choices, always paged, inactive ones only with `include_inactive=true` (site contract, section 4). A field that no choice has, not even
 * an inactive one, is 400 with the phrase, or an empty list.
 */
const listChoices: Run = (call) => {
  const { store, switches, query } = call;
  const matches = matcher(call);
  const fields = [...store.choiceIndex.fields].filter(([field]) => matches('field', field));
  if (fields.length === 0 && query.has('field') && switches.choice_unseen_field === 'refused') {
    const name = String(query.get('field'));
    if (switches.choice_filter !== 'ignored')
      return refused({ field: [`Select a valid choice. ${name} is not one of the available choices.`] });
  }
  const inactiveToo = asks(call, 'include_inactive');
  const rows = fields
    .flatMap(([, ids]) => [...ids].flatMap((id) => store.choices.get(id) ?? []))
    .filter((choice) => matches('model', choice.model) && (inactiveToo || choice.is_active));
  rows.sort((a, b) => placeOf(a)[0] - placeOf(b)[0]);
  return pageOfRows({ rows: rowsOf(rows), placeOf }, call);
};

const columns = { field: 40, value: 100, display: 100 };
const writable = ['model', 'field', 'value', 'display', 'ordernum', 'is_active'] as const;

const wordOnly: Rule = (value) =>
  text(value) ?? (/^\w+$/.test(String(value)) ? undefined : 'Enter a valid value of letters, numbers and underscores.');

const problemOf = (call: Call, body: Body, required: readonly string[]): SimulatedResponse | undefined => {
  const value = call.switches.choice_word_values ? wordOnly : text;
  const rules = { model: text, field: text, value, display: text, ordernum: position, is_active: flag };
  return refusal(body, rules, required) ?? overlong(body, columns);
};

/** Inactive choices count as well. */
const clashOf = ({ store }: Call, record: Choice): SimulatedResponse | undefined => {
  const other = store.choiceIndex.find(record);
  if (other === undefined || other === record.id) return undefined;
  return clash(`duplicate key value violates unique constraint: (${record.model}, ${record.field}, ${record.value})`);
};

const create = (call: Call, body: Body): SimulatedResponse => {
  const bad = problemOf(call, body, ['model', 'field', 'value', 'display']);
  if (bad) return bad;
  const record = {
    id: call.newId(),
    ordernum: null,
    icon: null,
    is_active: true,
    ...taken<Choice>(body, writable),
  } as Choice;
  const other = clashOf(call, record);
  if (other) return other;
  call.store.apply({ put: 'choices', record });
  const { id: _id, ...rest } = record;
  return created(call.switches.choice_without_id ? rest : record);
};

const patch = (call: Call, body: Body): SimulatedResponse => {
  const choice = call.store.choices.get(call.key);
  if (!choice) return failed(404);
  const record = { ...choice, ...taken<Choice>(body, writable) };
  const bad = problemOf(call, body, []) ?? clashOf(call, record);
  if (bad) return bad;
  call.store.apply({ put: 'choices', record });
  return ok(record);
};

/** Soft: the choice stays and keeps its value taken. */
const remove: Run = (call) => {
  const choice = call.store.choices.get(call.key);
  if (!choice) return failed(404);
  call.store.apply({ put: 'choices', record: { ...choice, is_active: false } });
  return deleted(call.switches.delete_answer);
};

const one = /^choices\/([^/]+)\/$/;

/** Choices (site contract, section 4). */
export const choiceRoutes: readonly Route[] = [
  { method: 'GET', path: /^choices\/$/, needs: permissions.viewChoices, run: listChoices },
  { method: 'POST', path: /^choices\/$/, needs: permissions.addChoice, run: withObject(create) },
  { method: 'PATCH', path: one, needs: permissions.changeChoice, run: withObject(patch) },
  { method: 'DELETE', path: one, needs: permissions.deleteChoice, run: remove },
];
