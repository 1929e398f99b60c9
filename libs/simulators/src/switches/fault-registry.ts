import { wait, type Clock } from '../time/clock.ts';
import type {
  ActiveSwitch,
  ConnectionFault,
  FailItemFault,
  HalfFault,
  ItemFault,
  ShortListFault,
  SlowFault,
  StatusFault,
  Switch,
} from './fault.ts';

/** Fault that applies to a request. */
export interface Place {
  readonly endpoint: string;
  /** The endpoint takes items for the platform. */
  readonly sensors?: boolean;
  readonly integration?: string | null;
  readonly method?: string;
  readonly path?: string;
}

/** A fault that decides the answer. */
export type TerminalFault = StatusFault | ConnectionFault | HalfFault | ShortListFault;

/** Effects of the switches on one request. */
export interface Fault {
  readonly delayMs: number;
  readonly terminal: TerminalFault | undefined;
}

/** The switches of one simulator. */
export interface SwitchBoard {
  /** Turns a switch on; gives its id. */
  set(change: Switch): string;
  /** Turns one switch off, or all. */
  clear(id?: string): void;
  list(): readonly ActiveSwitch[];
  /** Fault of the next request at a place; counts down. */
  take(place: Place): Fault;
  /** True when an item of a request at a place is to be refused; counts down. */
  refuses(place: Place, item: unknown): boolean;
  /** True when a request at a place is to fail because of an item; counts down. */
  failsOn(place: Place, item: unknown): boolean;
}

/** The fault that strikes a request, after the waits of those that slow it. */
export const struckBy = async (
  switches: SwitchBoard,
  clock: Clock,
  place: Place,
): Promise<TerminalFault | undefined> => {
  const { terminal, delayMs } = switches.take(place);
  if (delayMs > 0) await wait(clock, delayMs);
  return terminal;
};

interface Entry {
  readonly id: string;
  readonly change: Switch;
  used: number;
  seen: number;
}

const fits = (pattern: string, path: string): boolean => {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`).test(path);
};

const covers = ({ endpoint, integration, method, path }: Switch, place: Place): boolean =>
  (method === undefined || method === place.method) &&
  (path === undefined || fits(path, place.path ?? '')) &&
  (endpoint === undefined || endpoint === place.endpoint || (endpoint === 'sensors' && place.sensors === true)) &&
  (integration === undefined || integration === place.integration);

const at = (item: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
      item,
    );

const hits = (fault: ItemFault | FailItemFault, item: unknown): boolean => {
  const fields = fault.fields ?? (fault.field === undefined ? {} : { [fault.field]: fault.equals });
  const wanted = Object.entries(fields);
  return wanted.length > 0 && wanted.every(([path, value]) => at(item, path) === value);
};

/** Creates a registry without active faults. */
export const createSwitchBoard = (): SwitchBoard => {
  const entries = new Map<string, Entry>();
  let made = 0;

  const use = (entry: Entry): void => {
    entry.used += 1;
    if (entry.change.count !== undefined && entry.used >= entry.change.count) entries.delete(entry.id);
  };
  /** Counts the request; an item fault counts its items by itself. */
  const passed = (entry: Entry): boolean => {
    if (entry.change.fault === 'refuse_item' || entry.change.fault === 'fail_item') return false;
    entry.seen += 1;
    return entry.seen > (entry.change.skip ?? 0);
  };
  const on = (place: Place): Entry[] => [...entries.values()].filter(({ change }) => covers(change, place));

  /** Every switch of the kind that fits strikes. */
  const strikes = (fault: 'refuse_item' | 'fail_item', place: Place, item: unknown): boolean => {
    if (entries.size === 0) return false;
    let struck = false;
    for (const entry of on(place).filter(({ change }) => change.fault === fault)) {
      if (!hits(entry.change as ItemFault, item)) continue;
      struck = true;
      use(entry);
    }
    return struck;
  };

  return {
    set(change) {
      made += 1;
      const id = `s${made}`;
      entries.set(id, { id, change, used: 0, seen: 0 });
      return id;
    },
    clear: (id) => (id === undefined ? entries.clear() : void entries.delete(id)),
    list: () => [...entries.values()].map(({ id, change, used }) => Object.assign({ id, used }, change)),
    take(place) {
      if (entries.size === 0) return { delayMs: 0, terminal: undefined };
      const here = on(place).filter(passed);
      const slow = here.filter(({ change }) => change.fault === 'slow');
      const first = here.find(({ change }) => change.fault !== 'slow');
      for (const entry of [...slow, ...(first ? [first] : [])]) use(entry);
      return {
        delayMs: slow.reduce((sum, { change }) => sum + (change as SlowFault).ms, 0),
        terminal: first?.change as TerminalFault | undefined,
      };
    },
    refuses: (place, item) => strikes('refuse_item', place, item),
    failsOn: (place, item) => strikes('fail_item', place, item),
  };
};
