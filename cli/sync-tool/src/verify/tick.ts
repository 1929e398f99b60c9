import type { Item } from '../checklist/items.ts';
import { coreFields, unnamedStation } from '../desired/choices.ts';
import { bareUuid } from '../plan/choices.ts';
import type { SiteState } from '../plan/read.ts';

const stationPrefix = 'station.';

/** The site shows another text for the station than the one for stations without a name. */
const isNamed = (uuid: string, { choices }: SiteState): boolean => {
  if ('failure' in choices) return false;
  const there = choices.value.get(coreFields.station)?.find(({ value }) => bareUuid(value) === uuid);
  return there !== undefined && there.display !== unnamedStation(uuid);
};

const isDone = (item: Item, state: SiteState): boolean => {
  if (item.id.startsWith(stationPrefix)) return isNamed(item.id.slice(stationPrefix.length), state);
  if (item.id === 'roster') return 'value' in state.roster && state.roster.value !== null;
  return item.done;
};

/** Ticks what the site shows to be done; everything else stays as it is. */
export const tick = (items: readonly Item[], state: SiteState): readonly Item[] =>
  items.map((item) => (item.visible && isDone(item, state) ? { ...item, done: true } : item));
