import { keyOf, type Key, type KubeObject } from '../api/object.ts';
import { ownerOf, type Resource } from '../api/resource.ts';
import type { Change } from '../watch/cache.ts';
import type { Informer } from '../watch/informer.ts';

/** Objects whose changes lead to runs of a controller. */
export interface Source {
  readonly informer: Pick<Informer, 'cache' | 'onChange' | 'whenSynced'>;
  /** Keys that a change concerns. */
  readonly keysOf: (change: Change) => readonly Key[];
}

/** The objects themselves. */
export const objectsOf = (informer: Source['informer']): Source => ({ informer, keysOf: ({ key }) => [key] });

/** Objects that are owned by objects of a kind: their changes concern the owner, also the one that they had before. */
export const ownedBy = (owner: Resource, informer: Source['informer']): Source => ({
  informer,
  keysOf({ object, previous }) {
    const owners = [object, previous].map((each) => each && ownerOf(owner, each));
    return [...new Set(owners.flatMap((ref) => (ref ? [keyOf(ref)] : [])))];
  },
});

/** Objects that are named by others: `namesOf` finds who is concerned. */
export const relatedTo = (informer: Source['informer'], namesOf: (object: KubeObject) => readonly Key[]): Source => ({
  informer,
  keysOf: ({ object, previous }) => [...new Set([object, previous].flatMap((each) => (each ? namesOf(each) : [])))],
});
