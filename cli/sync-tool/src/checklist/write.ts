import { writeFile } from 'node:fs/promises';
import type { SyncOptions, SyncStep } from '@ranger-relay/contracts';
import type { RelayError } from '@ranger-relay/errors';
import type { Site } from '@ranger-relay/site';
import type { Bundle } from '../bundle/model.ts';
import type { Label } from '../desired/labels.ts';
import { onDisk } from '../run/durable.ts';
import type { Prepared } from '../run/prepare.ts';
import { itemsOf, type Item } from './items.ts';
import { checklistMarkdown } from './markdown.ts';

/** What a checklist is written from. */
export interface ChecklistParts {
  readonly path: string;
  readonly bundle: Bundle;
  readonly label: Label;
  readonly options: SyncOptions;
  readonly site: Pick<Site, 'origin'>;
  readonly dryRun: boolean;
  readonly prepared: Prepared;
  readonly failures: ReadonlyMap<SyncStep, RelayError>;
  /** A step that failed, in words. */
  readonly failureText: (step: SyncStep, error: RelayError) => string;
  /** Looks again at what the site shows. */
  readonly tick?: (items: readonly Item[]) => readonly Item[];
}

/** Writes the checklist and answers its items. */
export const writeChecklist = async (parts: ChecklistParts): Promise<readonly Item[]> => {
  const { path, bundle, label, options, site, dryRun, prepared, failures, failureText, tick } = parts;
  const { desired, state, kept } = prepared;
  const group = 'value' in state.roster ? (state.roster.value?.group.name ?? null) : null;
  const found = itemsOf({
    bundle,
    desired,
    label,
    patrolSchemas: state.patrolSchemas,
    roster: { asked: options.roster_group, found: group },
    kept,
    failures,
  });
  const items = tick ? tick(found) : found;
  const failed = [...failures].map(([step, error]) => failureText(step, error));
  const head = { area: bundle.manifest.area, origin: site.origin, dryRun, failures: failed };
  await onDisk(path, () => writeFile(path, checklistMarkdown(items, head)));
  return items;
};

/** What is left of them, as data. */
export const openItems = (items: readonly Item[]): readonly object[] =>
  items.filter(({ done }) => !done).map(({ id, who, text, visible }) => ({ id, who, text, visible }));
