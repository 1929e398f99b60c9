import { isObject, type Body } from '../../json.ts';
import { json, type SimulatedResponse } from '../../http/answer.ts';
import { failed, ok, refused } from '../answers/envelope.ts';
import { formProblem } from '../form/check.ts';
import { keptForm } from '../form/ui-part.ts';
import { permissions } from '../permissions.ts';
import type { SiteStore } from '../state/store.ts';
import { asks, withObject, type Call, type Route, type Run } from './call.ts';

/** Members of the form's record beside its document. */
const recordMembers = {
  id: '5e6f0000-0000-4000-a000-000000000001',
  value: 'default',
  display: 'Default',
  ordernum: 0,
  is_active: true,
};

const choiceReference = /^\/api\/v2\.0\/schemas\/choices\.json\?field=(.+)$/;

/** The active options of a field, as the site inlines them. */
const optionsOf = (store: SiteStore, field: string): { enum: string[]; 'x-enumExtra': object } => {
  const ids = [...(store.choiceIndex.fields.get(field) ?? [])];
  const choices = ids.flatMap((id) => store.choices.get(id) ?? []).filter(({ is_active }) => is_active);
  return {
    enum: choices.map(({ value }) => value),
    'x-enumExtra': Object.fromEntries(choices.map(({ value, display }) => [value, { title: display }])),
  };
};

const fieldOf = (options: unknown): string | undefined => {
  const [first] = Array.isArray(options) ? (options as readonly unknown[]) : [];
  const reference = isObject(first) ? first['$ref'] : undefined;
  return typeof reference === 'string' ? choiceReference.exec(reference)?.[1] : undefined;
};

/** The document with all options in place of the references: what `pre_render=true` shows (site contract, section 5). */
const rendered = (store: SiteStore, value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((item) => rendered(store, item));
  if (!isObject(value)) return value;
  const { anyOf, ...rest } = value;
  const field = fieldOf(anyOf);
  if (field !== undefined) return { ...rest, ...optionsOf(store, field) };
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, rendered(store, member)]));
};

/** The stored document, or the value for "no form"; undefined: not found. */
const stored = ({ store, switches }: Call): unknown => {
  if (store.settings.form !== null) return store.settings.form;
  if (switches.form_none === 'not_found') return undefined;
  return switches.form_none === 'null' ? null : {};
};

const bareOr = ({ switches }: Call, document: unknown): SimulatedResponse =>
  switches.form_document === 'bare' ? json(200, document) : ok(document);

const record: Run = (call) => {
  const { form_record, form_schema } = call.switches;
  if (form_record === 'not_allowed') return failed(405);
  const schema = stored(call);
  if (form_record === 'not_found' || schema === undefined) return failed(404);
  if (form_record === 'document') return bareOr(call, schema);
  if (form_schema === 'on_request' && !asks(call, 'include_schema')) return ok(recordMembers);
  return ok({
    ...recordMembers,
    schema: form_record === 'string' && schema !== null ? JSON.stringify(schema) : schema,
  });
};

const document: Run = (call) => {
  const schema = stored(call);
  if (call.switches.form_document === 'not_found' || schema === undefined) return failed(404);
  return bareOr(call, asks(call, 'pre_render') ? rendered(call.store, schema) : schema);
};

/** Replaces the whole document, when it keeps to the meta-schema. */
const put = (call: Call, body: Body): SimulatedResponse => {
  if (!isObject(body['schema'])) return refused({ schema: ['Invalid JSON Schema: not an object at $'] });
  const schema = keptForm(body['schema']);
  const problem = formProblem(schema);
  if (problem !== undefined) return refused({ schema: [`Invalid JSON Schema: ${problem}`] });
  call.store.apply({ set: 'form', value: schema });
  return ok({ ...recordMembers, schema });
};

/** While the feature is off there is no form at all. */
const whenOn =
  (run: Run): Run =>
  (call) =>
    call.switches.patrol_schemas === 'on' ? run(call) : failed(404);

const path = /^activity\/patrols\/segments\/types\/default\/$/;
const schemaPath = /^activity\/patrols\/segments\/types\/default\/schema\/$/;

/** The universal patrol fields (site contract, section 5), in whichever form the switches say. */
export const formRoutes: readonly Route[] = [
  { method: 'GET', path, needs: permissions.viewForm, run: whenOn(record) },
  { method: 'PUT', path, needs: permissions.changeForm, run: whenOn(withObject(put)) },
  { method: 'GET', path: schemaPath, needs: permissions.viewForm, run: whenOn(document) },
];
