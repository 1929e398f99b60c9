import { choice } from './choice.ts';
import { form } from './form.ts';
import { patrolType } from './patrol-type.ts';
import type { Kind, Resource } from './resource.ts';
import { roster } from './roster.ts';
import { subject } from './subject.ts';

const resources: { readonly [K in Kind]: Resource<K> } = {
  patrol_type: patrolType,
  universal_patrol_fields: form,
  choice,
  subject,
  roster,
};

/** Returns the resource of a planned change or of a record entry. */
export const resourceOf = <K extends Kind>({ kind }: { readonly kind: K }): Resource<K> => resources[kind];

export * from './resource.ts';
