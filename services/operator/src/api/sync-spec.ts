import { z } from 'zod';
import { objectName, optionText, pathInside, rules, span, spanMs, whole } from './fields.ts';

const address = /^(https?:\/\/)?[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[1-9][0-9]{0,4})?(\/[A-Za-z0-9._~/-]*)?$/;

const keyOfSecret = (description: string) =>
  z
    .object({
      name: objectName('Name of the Secret, in the namespace of this object.'),
      key: z
        .string()
        .max(253)
        .regex(/^[-._a-zA-Z0-9]+$/)
        .default('token')
        .meta({ description: 'Key in the Secret.' }),
    })
    .meta({ description });

const bundle = z
  .object({
    claim: z
      .object({
        name: objectName('Name of the PersistentVolumeClaim; it is only read.'),
        path: pathInside('Folder of the bundle on the volume; the volume itself when left out.').optional(),
      })
      .optional()
      .meta({ description: 'A volume that holds the bundle, of any size.' }),
    configMap: objectName(
      'Name of a ConfigMap that holds the files of the bundle, for one of at most 1 MiB.',
    ).optional(),
  })
  .meta({
    description: 'Where the migration bundle is: on a volume or in a ConfigMap.',
    ...rules({ rule: 'has(self.claim) != has(self.configMap)', message: 'give one of claim and configMap' }),
  });

const output = z.object({ claimName: objectName('Name of a PersistentVolumeClaim that outlives the Jobs.') }).meta({
  description: 'Where plans, run records and checklists of all Jobs are kept, in a folder of this object.',
  ...rules({
    rule: 'self.claimName == oldSelf.claimName',
    message: 'claimName cannot be changed: records lie there; make another PatrolSync',
  }),
});

const site = z
  .object({
    endpoint: z.string().min(1).max(500).regex(address).meta({
      description:
        'Address of the site: host, host:port or https://host. It is immutable: create another object for another site.',
    }),
    token: keyOfSecret('Secret that holds the API token of the site; each Job reads it anew.'),
    ca: keyOfSecret(
      'Secret that holds a certificate (PEM) of an authority to trust, beside the well-known ones.',
    ).optional(),
  })
  .meta({
    description: 'The ranger-tracking site and its credentials.',
    ...rules({
      rule: 'self.endpoint == oldSelf.endpoint',
      message: 'endpoint cannot be changed: make another PatrolSync for another site',
    }),
  });

/** Spec of a PatrolSync: source of validation, defaults and the CustomResourceDefinition. */
export const syncSpecSchema = z
  .object({
    bundle,
    output,
    site,
    language: optionText(
      35,
      'Language of texts written to the site, one of the bundle’s languages. Default: that of the bundle.',
    ).optional(),
    word: z
      .string()
      .max(16)
      .regex(/^[a-z][a-z0-9]{0,15}$/)
      .optional()
      .meta({
        description:
          'Word that stands for the external system in identifiers on the site, as in ext_member_id; the same for all areas of a site. Default: ext.',
        ...rules({ rule: "self != 'patrol'", message: 'the word patrol is taken' }),
      }),
    timezone: z
      .string()
      .max(64)
      .regex(/^([Uu][Tt][Cc]|[A-Za-z0-9_+-]+\/[A-Za-z0-9_+/-]+)$/)
      .optional()
      .meta({ description: 'Timezone that the bundle must have; the run fails for another one.' }),
    rosterGroup: optionText(
      200,
      'Subject group that subjects join; by default the first member group of the patrol configuration.',
    ).optional(),
    subjectNameSuffix: z
      .boolean()
      .default(false)
      .meta({ description: 'Append the code of the area to the name of each subject.' }),
    replaceSegmentSchema: z.boolean().default(false).meta({
      description:
        'Overwrite the universal patrol fields instead of merging them; fields that an admin added are lost.',
    }),
    mode: z
      .enum(['plan', 'apply'])
      .default('plan')
      .meta({ description: 'plan: only show what would be written. apply: write it once it is approved.' }),
    approve: z
      .string()
      .regex(/^(auto|[0-9a-f]{64})$/)
      .optional()
      .meta({
        description:
          'Hash of the plan that may be applied, as status.plan.hash shows it, or auto for every plan. A hash is used once: to approve the same plan again, remove it and set it again.',
      }),
    maxDeactivations: whole(
      0,
      1_000_000,
      'Maximum number of subjects to deactivate; a plan with more is not applied. Default: the limit of the tool.',
    ).optional(),
    driftCheckInterval: span(
      'How often the applied site is compared with the bundle, for example 24h; at least 1m, 0s for never.',
      {
        rule: "duration(self) == duration('0s') || duration(self) >= duration('1m')",
        message: 'give at least 1m, or 0s for never',
      },
    ).default('24h'),
    suspend: z.boolean().default(false).meta({ description: 'Start no further Job; a running Job completes.' }),
    retries: whole(
      0,
      10,
      'How often a failed or interrupted run is resumed, and how often planning is retried.',
    ).default(2),
    keepRuns: whole(
      1,
      1_000,
      'Number of runs kept on the output volume, with plan, record and checklist, and of plans that were not applied; older ones are deleted once all is applied. A run that was not finished stays, and so does one that a PatrolSyncRollback names. All stay when left out.',
    ).optional(),
    jobRetention: span(
      'How long a finished Job is kept, with its log, at least an hour; files on the volume are kept anyway.',
    ).default('720h'),
  })
  .meta({
    description: 'What is written to the site, and how.',
    ...rules({
      rule: '!has(self.approve) || self.mode == "apply"',
      message: 'approve needs mode: apply',
    }),
  });

export type SyncSpec = z.infer<typeof syncSpecSchema>;

/** Minimum interval between checks of one object, ms: each check is a Job that reads the whole site. */
const minCheckIntervalMs = 60_000;

/** Interval of drift checks, ms; 0 for never. Raised to the minimum for objects created before validation enforced it. */
export const checkIntervalMs = ({ driftCheckInterval }: Pick<SyncSpec, 'driftCheckInterval'>): number => {
  const asked = spanMs(driftCheckInterval);
  return asked === 0 ? 0 : Math.max(minCheckIntervalMs, asked);
};
