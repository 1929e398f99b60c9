import type { ChangeAnswer, EventFile, EventItem, Events, ListAnswer, Offender } from '@ranger-relay/platform';
import { RelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import type { Life } from './life.ts';

/** An event that the platform has stored, with all that was done to it, in order. */
export interface StoredEvent {
  readonly id: string;
  readonly item: EventItem;
  readonly changes: EventItem[];
  readonly files: EventFile[];
}

/** The platform's events, as the platform contract describes them. */
export interface FakePlatform {
  readonly stored: StoredEvent[];
  readonly posts: (readonly EventItem[])[];
  /** Items that are refused, and the platform's words. */
  refuses: (item: EventItem) => string | undefined;
  /** Items that a call always fails for, stored or not. */
  fails: (item: EventItem) => boolean;
  /** Refused lists do not say which item it is. */
  namesOffenders: boolean;
  /** Thrown, or done, before a call takes effect. */
  before: (call: 'post' | 'patch' | 'attach', what: EventItem) => void;
  /** Thrown after a call took effect, so that its answer is lost. */
  after: (call: 'post' | 'patch' | 'attach') => void;
  /** Of the event of the site with this id. */
  ofEvent(siteId: string): StoredEvent[];
  connect(life: Life): Events;
}

const failure = (): RelayError =>
  new RelayError('platform_unavailable', { details: { reason: 'HTTP 500' }, ambiguous: true });

const dedupMs = 3_600_000;

/** Makes one without events. */
export const fakePlatform = (clock: Clock): FakePlatform => {
  const seen = new Map<string, number>();
  let made = 0;

  const store = (item: EventItem): string => {
    made += 1;
    const id = `object-${made}`;
    const key = JSON.stringify(item);
    const repeated = clock.now() - (seen.get(key) ?? -Infinity) < dedupMs;
    seen.set(key, clock.now());
    if (!repeated) platform.stored.push({ id, item, changes: [], files: [] });
    return id;
  };

  const post = (list: readonly EventItem[]): ListAnswer => {
    platform.before('post', list[0] ?? {});
    platform.posts.push(list);
    if (list.some(platform.fails)) throw failure();
    const offenders = list.flatMap((item, index): Offender[] => {
      const reason = platform.refuses(item);
      return reason === undefined ? [] : [{ index, reason }];
    });
    if (offenders.length > 0)
      return platform.namesOffenders ? { kind: 'refused', offenders } : { kind: 'refused_list', reason: 'one is bad' };
    const ids = list.map(store);
    platform.after('post');
    return { kind: 'accepted', ids };
  };

  const change = (
    call: 'patch' | 'attach',
    objectId: string,
    what: EventItem,
    effect: (event: StoredEvent) => void,
  ): ChangeAnswer => {
    platform.before(call, what);
    const event = platform.stored.find(({ id }) => id === objectId);
    if (!event) return { kind: 'unknown_event' };
    if (platform.fails(what)) throw failure();
    const reason = platform.refuses(what);
    if (reason !== undefined) return { kind: 'refused', reason };
    effect(event);
    platform.after(call);
    return { kind: 'accepted' };
  };

  const platform: FakePlatform = {
    stored: [],
    posts: [],
    refuses: () => undefined,
    fails: () => false,
    namesOffenders: true,
    before: () => undefined,
    after: () => undefined,
    ofEvent: (siteId) =>
      platform.stored.filter(({ item }) => {
        const { source_event_url: url } = item['provider_metadata'] as { source_event_url: string };
        return url.endsWith(`/events/${siteId}`);
      }),
    connect: (life) => ({
      post: (_integration, list) => life.exchange(() => post(list)),
      patch: (_integration, id, item) =>
        life.exchange(() => change('patch', id, item, ({ changes }) => changes.push(item))),
      attach: (_integration, id, file) =>
        life.exchange(() => change('attach', id, { file: file.name }, ({ files }) => files.push(file))),
    }),
  };
  return platform;
};
