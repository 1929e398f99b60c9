import type { Answer } from '../../http/answer.ts';
import { clash, created, deleted, failed, ok } from '../answers/envelope.ts';
import { flag, overlong, position, refusal, taken, text, type Body, type Rule } from '../answers/fields.ts';
import { permissions } from '../permissions.ts';
import type { Choice } from '../state/records.ts';
import { withObject, type Call, type Route, type Run } from './call.ts';
import { listChoices } from './choice-list.ts';

const columns = { field: 40, value: 100, display: 100 };
const writable = ['model', 'field', 'value', 'display', 'ordernum', 'is_active'] as const;

const wordOnly: Rule = (value) =>
  text(value) ?? (/^\w+$/.test(String(value)) ? undefined : 'Enter a valid value of letters, numbers and underscores.');

const problemOf = (call: Call, body: Body, required: readonly string[]): Answer | undefined => {
  const value = call.switches.choice_word_values ? wordOnly : text;
  const rules = { model: text, field: text, value, display: text, ordernum: position, is_active: flag };
  return refusal(body, rules, required) ?? overlong(body, columns);
};

/** Inactive choices count as well. */
const clashOf = ({ store }: Call, record: Choice): Answer | undefined => {
  const other = store.choiceIndex.find(record);
  if (other === undefined || other === record.id) return undefined;
  return clash(`duplicate key value violates unique constraint: (${record.model}, ${record.field}, ${record.value})`);
};

const create = (call: Call, body: Body): Answer => {
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

const patch = (call: Call, body: Body): Answer => {
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
