import { keyOf, type Key, type KubeObject } from '../api/object.ts';
import { ownerOf, type Resource } from '../api/resource.ts';
import type { Change } from '../watch/cache.ts';
import type { Informer } from '../watch/informer.ts';

/** Objects whose changes lead to runs of a controller. */
export interface Source {
  whenSynced(): Promise<void>;
  /** Adds the keys that present objects concern, and from then on those that each change concerns. Returns how to stop. */
  follow(add: (key: Key) => void): () => void;
}

/** What a source asks of an informer. */
type Followed<T extends KubeObject> = Pick<Informer<T>, 'cache' | 'onChange' | 'whenSynced'>;

const sourceOf = <T extends KubeObject>(
  informer: Followed<T>,
  keysOf: (change: Change<T>) => readonly Key[],
): Source => ({
  whenSynced: () => informer.whenSynced(),
  follow(add) {
    const { cache } = informer;
    const take = (change: Change<T>): void => keysOf(change).forEach(add);
    const stop = informer.onChange(take);
    for (const key of cache.keys()) take({ key, object: cache.get(key), previous: undefined });
    return stop;
  },
});

/** The objects themselves. */
export const objectsOf = <T extends KubeObject>(informer: Followed<T>): Source =>
  sourceOf(informer, ({ key }) => [key]);

/** Objects that are named by others: `namesOf` finds who is concerned, by an object as it is and as it was. */
export const relatedTo = <T extends KubeObject>(
  informer: Followed<T>,
  namesOf: (object: T) => readonly Key[],
): Source =>
  sourceOf(informer, ({ object, previous }) => [
    ...new Set([object, previous].flatMap((each) => (each ? namesOf(each) : []))),
  ]);

/** Objects that are owned by objects of a kind: their changes concern the owner, also the one that they had before. */
export const ownedBy = <T extends KubeObject>(owner: Resource, informer: Followed<T>): Source =>
  relatedTo(informer, (object) => {
    const ref = ownerOf(owner, object);
    return ref ? [keyOf(ref)] : [];
  });
