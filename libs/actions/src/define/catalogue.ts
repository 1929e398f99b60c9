import { RelayError } from '@ranger-relay/errors';
import { parseCrontab } from '../schedule/crontab.ts';
import { type Action, specOf } from './action.ts';
import { brokenRule } from './rules.ts';

const prefix = 'action_';

const refuse = (name: string, rule: string): RelayError =>
  new RelayError('action_definition_invalid', { details: { name, rule } });

const actionOf = (name: string, value: unknown, models: Readonly<Record<string, string>>): Action => {
  const id = name.slice(prefix.length);
  const defined = specOf(value);
  const spec = defined && Object.hasOwn(models, id) ? { ...defined, model: models[id] as string } : defined;
  const rule = brokenRule(id, spec);
  if (!spec || rule !== undefined) throw refuse(name, rule ?? '');
  const crontab = spec.schedule === undefined ? undefined : parseCrontab(spec.schedule);
  return { ...spec, run: (context) => spec.run(context), id, crontab };
};

const checkModels = (actions: readonly Action[]): void => {
  const taken = new Map<string, string>();
  for (const { id, model } of actions) {
    if (model === undefined) continue;
    const other = taken.get(model);
    if (other) throw refuse(`${prefix}${id}`, `${prefix}${other} already takes data of the model ${model}`);
    taken.set(model, id);
  }
};

/**
 * Collects every export of a handlers module that is named `action_<id>`. Other exports are ignored, and reported when they are actions.
 * @param options.models data models of a deployment by action id, instead of those in the definitions
 * @throws RelayError `action_definition_invalid` naming the export and the violated rule
 */
export const discoverActions = (
  exports: Readonly<Record<string, unknown>>,
  { models = {} }: { readonly models?: Readonly<Record<string, string>> } = {},
): Catalogue => {
  const named = Object.entries(exports).filter(([name]) => name.startsWith(prefix));
  if (named.length === 0) throw refuse('module', `no export of it is named ${prefix}<id>`);
  const actions = named.map(([name, value]) => actionOf(name, value, models));
  checkModels(actions);
  const ignored = Object.entries(exports).filter(([name, value]) => !name.startsWith(prefix) && specOf(value));
  return createCatalogue(
    actions,
    ignored.map(([name]) => name),
  );
};

/** The actions of one service, with lookups. */
export interface Catalogue {
  /** Sorted by id. */
  readonly actions: readonly Action[];
  /** Exports that are actions but do not have an action name: they are not served. */
  readonly ignored: readonly string[];
  get(id: string): Action | undefined;
  /** The push action that accepts data of this model: an exact name first, then the longest prefix. */
  ofModel(name: string): Action | undefined;
}

const starts = (model: string, name: string): boolean => model.endsWith('*') && name.startsWith(model.slice(0, -1));

/** Creates a catalogue of valid actions. */
const createCatalogue = (list: readonly Action[], ignored: readonly string[] = []): Catalogue => {
  const actions = [...list].sort((a, b) => (a.id < b.id ? -1 : 1));
  const byId = new Map(actions.map((action) => [action.id, action]));
  const push = actions.filter(({ type }) => type === 'push');
  const byStart = push
    .filter(({ model }) => model?.endsWith('*'))
    .sort((a, b) => (b.model?.length ?? 0) - (a.model?.length ?? 0));
  return {
    actions,
    ignored,
    get: (id) => byId.get(id),
    ofModel: (name) =>
      push.find(({ model }) => model === name && !model.endsWith('*')) ??
      byStart.find(({ model }) => starts(model ?? '', name)),
  };
};
