import type { Action } from './action.ts';

/** The actions of one service, as a lookup. */
export interface Catalogue {
  /** Sorted by id. */
  readonly actions: readonly Action[];
  /** Exports that are actions but are not named like one: they are not served. */
  readonly ignored: readonly string[];
  get(id: string): Action | undefined;
  /** The push action that takes data of this model: the exact name wins, then the longest start. */
  ofModel(name: string): Action | undefined;
}

const starts = (model: string, name: string): boolean => model.endsWith('*') && name.startsWith(model.slice(0, -1));

/** Makes a catalogue of actions that keep the rules. */
export const createCatalogue = (list: readonly Action[], ignored: readonly string[] = []): Catalogue => {
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
