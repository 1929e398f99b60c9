import { z } from 'zod';
import type { Resource } from '../kube/object.ts';
import { patrolSyncs, rollbacks } from './group.ts';
import { rollbackSpecSchema, rollbackStatusSchema } from './rollback.ts';
import { syncSpecSchema } from './sync-spec.ts';
import { syncStatusSchema } from './sync-status.ts';

type Json = Readonly<Record<string, unknown>>;

/** Source of one CustomResourceDefinition. */
interface Definition {
  readonly resource: Resource;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly about: string;
  readonly spec: z.ZodType;
  readonly status: z.ZodType;
}

/** Definitions of both kinds. */
const definitions: readonly Definition[] = [
  {
    resource: patrolSyncs,
    singular: 'patrolsync',
    shortNames: ['psync'],
    about:
      'Prepares a ranger-tracking site for the import of patrols from a migration bundle: plans the changes, waits for approval, applies exactly the approved plan, and reports what is left for a person.',
    spec: syncSpecSchema,
    status: syncStatusSchema,
  },
  {
    resource: rollbacks,
    singular: 'patrolsyncrollback',
    shortNames: ['psyncback'],
    about: 'Undoes runs of a PatrolSync; objects that have changed since stay as they are and are listed.',
    spec: rollbackSpecSchema,
    status: rollbackStatusSchema,
  },
];

/** JSON Schema keywords that a structural schema forbids or expresses elsewhere. */
const left = new Set(['$schema', 'additionalProperties', 'propertyNames']);
const isSafeBound = (name: string, value: unknown): boolean =>
  (name === 'maximum' || name === 'minimum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;

/** Converts a JSON Schema into the structural form that the API server accepts. */
const structural = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(structural);
  if (typeof value !== 'object' || value === null) return value;
  const schema = value as Json;
  const members = Object.entries(schema).filter(([name, member]) => !left.has(name) && !isSafeBound(name, member));
  // The pattern of a date-time duplicates its format.
  const kept = schema['format'] === 'date-time' ? members.filter(([name]) => name !== 'pattern') : members;
  const made = Object.fromEntries(kept.map(([name, member]) => [name, structural(member)]));
  const { additionalProperties: values } = schema;
  // The API server prunes the entries of a map that has no value schema.
  return typeof values === 'object' && values !== null ? { ...made, additionalProperties: structural(values) } : made;
};

const schemaOf = (schema: z.ZodType): unknown =>
  structural(z.toJSONSchema(schema, { io: 'input', target: 'openapi-3.0' }));

const columns = [
  { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: 'Status', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  // Full message with the next action, shown with `--output wide`.
  { name: 'Message', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].message', priority: 1 },
];

const crdOf = ({ resource, singular, shortNames, about, spec, status }: Definition): Json => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${resource.plural}.${resource.group}` },
  spec: {
    group: resource.group,
    scope: 'Namespaced',
    names: { kind: resource.kind, listKind: `${resource.kind}List`, plural: resource.plural, singular, shortNames },
    versions: [
      {
        name: resource.version,
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: columns,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description: about,
            required: ['spec'],
            properties: {
              apiVersion: { type: 'string', description: 'Version of its definition.' },
              kind: { type: 'string', description: 'Name of the kind.' },
              metadata: { type: 'object' },
              spec: schemaOf(spec),
              status: schemaOf(status),
            },
          },
        },
      },
    ],
  },
});

/** CustomResourceDefinitions of both kinds, by file name. */
export const crds = (): Readonly<Record<string, Json>> =>
  Object.fromEntries(definitions.map((each) => [`${each.resource.plural}.yaml`, crdOf(each)]));
