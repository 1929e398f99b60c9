import type { ServerResponse } from 'node:http';
import { Failure, gone, statusOf } from './failure.ts';
import type { EventFault, Faults } from './faults.ts';
import { type Json, metaOf, type Selects } from './json.ts';
import type { Entry, Store } from './store.ts';

interface Watch {
  readonly collection: string;
  readonly selects: Selects;
  readonly response: ServerResponse;
  readonly kind: Json;
  swallows: boolean;
  /** Told again after the next event. */
  repeat: string | undefined;
}

/** The open streams. */
export interface Watches {
  /** Begins a stream with what came after a version. */
  open(
    wanted: { collection: string; selects: Selects; from: number; version: string; kind: Json },
    response: ServerResponse,
  ): void;
  /** Tells every stream that it is up to date. */
  bookmark(): void;
  /** Ends every stream in order, as a server does after the time asked for. */
  end(): void;
  count(): number;
}

const line = (type: string, object: Json): string => `${JSON.stringify({ type, object })}\n`;

/** What an entry is for those who select: an object that leaves the selection is deleted for them. */
const lineOf = ({ version, before, after }: Entry, selects: Selects): string | undefined => {
  if (selects(after)) return line(selects(before) ? 'MODIFIED' : 'ADDED', after as Json);
  if (!selects(before)) return undefined;
  const last = before as Json;
  return line('DELETED', { ...last, metadata: { ...metaOf(last), resourceVersion: String(version) } });
};

const error410 = line('ERROR', statusOf(gone('0')));
const error500 = line('ERROR', statusOf(new Failure(500, 'InternalError', 'the storage did not answer')));

/** Writes byte by byte, so that characters are cut as well. */
const writeSliced = (response: ServerResponse, text: string): void => {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7));
};

const write = (watch: Watch, text: string, fault: EventFault | undefined): void => {
  const { response } = watch;
  switch (fault) {
    case 'cut':
      return void response.write(text.slice(0, Math.ceil(text.length / 2)), () => response.destroy());
    case 'twice':
      return void response.write(text + text);
    case 'repeat':
      watch.repeat = text;
      return void response.write(text);
    case 'garbage':
      return void response.write('{"type":"MODIFIED","object":{"metad\n');
    case 'swallow':
      watch.swallows = true;
      return;
    case 'gone':
      return void response.end(error410);
    case 'error':
      return void response.end(error500);
    case 'end':
      return void response.end();
    case 'slices':
      return writeSliced(response, text);
    default:
      response.write(text);
  }
};

const deliver = (watch: Watch, entry: Entry, faults: Faults): void => {
  const { response, swallows, repeat } = watch;
  const text = entry.collection === watch.collection ? lineOf(entry, watch.selects) : undefined;
  if (text === undefined || swallows || response.writableEnded || response.destroyed) return;
  write(watch, text, faults.nextForEvent());
  if (repeat === undefined || response.writableEnded) return;
  watch.repeat = undefined;
  response.write(repeat);
};

/** Makes the streams of a server. */
export const createWatches = (store: Store, faults: Faults): Watches => {
  const open = new Set<Watch>();
  store.onEntry((entry) => {
    for (const watch of open) deliver(watch, entry, faults);
  });

  return {
    open({ collection, selects, from, version, kind }, response) {
      if (from > store.version()) throw new Failure(504, 'Timeout', 'Too large resource version');
      const missed = store.since(collection, from);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.flushHeaders();
      if (!missed) return void response.end(line('ERROR', statusOf(gone(version))));
      const watch = { collection, selects, response, kind, swallows: false, repeat: undefined };
      open.add(watch);
      response.on('close', () => open.delete(watch));
      for (const entry of missed) deliver(watch, entry, faults);
    },
    bookmark() {
      const metadata = { resourceVersion: String(store.version()), creationTimestamp: null };
      for (const { response, kind, swallows } of open)
        if (!swallows && !response.writableEnded) response.write(line('BOOKMARK', { ...kind, metadata }));
    },
    end() {
      for (const { response } of open) response.end();
    },
    count: () => open.size,
  };
};
