import type { SyncOptions, SyncStep } from '@ranger-relay/contracts';
import type { RelayError } from '@ranger-relay/errors';
import type { Site } from '@ranger-relay/site';
import { printable } from '@ranger-relay/terminal';
import type { Bundle } from '../bundle/model.ts';
import type { Label } from '../bundle/labels/label.ts';
import { onDisk } from '../run/files.ts';
import type { Disk } from '../run/machine.ts';
import type { Prepared } from '../plan/plan.ts';
import { type Actor, type Item, itemsOf } from './items.ts';

/** The header data of the list. */
interface ChecklistHead {
  readonly area: { readonly id: string; readonly name: string };
  /** Address of the site, for a link. */
  readonly origin: string;
  readonly dryRun: boolean;
  /** Descriptions of the failed steps. */
  readonly failures: readonly string[];
}

const headings: Readonly<Record<Actor, string>> = {
  operator: 'Operator of the site, or the vendor',
  site_admin: 'Admin of the site',
  ext_admin: 'Admin of the external system',
};

/** Escapes text from people, so that no part of it is interpreted as markup. */
const escapeMarkdown = (text: string): string =>
  printable(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[\\`*_{}[\]()#+!|~]/g, '\\$&');

const lineOf = ({ text, done, visible }: Item): string =>
  `- [${done ? 'x' : ' '}] ${escapeMarkdown(text)}${visible ? '' : ' *(nobody can see from outside whether this is done)*'}`;

const section = (who: Actor, items: readonly Item[]): string[] => {
  const theirs = items.filter((item) => item.who === who);
  return theirs.length === 0 ? [] : [`## ${headings[who]}`, '', ...theirs.map(lineOf), ''];
};

/** Formats the list as a Markdown document, grouped by the person who must act. */
const checklistMarkdown = (items: readonly Item[], { area, origin, dryRun, failures }: ChecklistHead): string => {
  const title = `# Patrol import: what is left to do for ${escapeMarkdown(area.name)} (${escapeMarkdown(area.id)})`;
  const about = dryRun
    ? `A dry run: nothing was written to [the site](<${origin}/>).`
    : `The rest of preparing [the site](<${origin}/>).`;
  const troubles = failures.map((failure) => `> **Failed:** ${escapeMarkdown(failure)}`);
  const body = (['operator', 'site_admin', 'ext_admin'] as const).flatMap((who) => section(who, items));
  const rest = body.length > 0 ? body : ['Nothing is left to do.', ''];
  return [title, '', about, '', ...(troubles.length > 0 ? [...troubles, ''] : []), ...rest].join('\n');
};

/** The input of a checklist. */
interface ChecklistOptions {
  readonly disk: Disk;
  readonly path: string;
  readonly bundle: Bundle;
  readonly label: Label;
  readonly options: SyncOptions;
  readonly site: Pick<Site, 'origin'>;
  readonly dryRun: boolean;
  readonly prepared: Prepared;
  readonly failures: ReadonlyMap<SyncStep, RelayError>;
  /** Describes a failed step. */
  readonly failureText: (step: SyncStep, error: RelayError) => string;
  /** Updates the items according to the current state of the site. */
  readonly tick?: (items: readonly Item[]) => readonly Item[];
}

/** Writes the checklist and returns its items. */
export const writeChecklist = async (parts: ChecklistOptions): Promise<readonly Item[]> => {
  const { disk, path, bundle, label, options, site, dryRun, prepared, failures, failureText, tick } = parts;
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
  await onDisk(path, () => disk.writeFile(path, checklistMarkdown(items, head)));
  return items;
};

/** The open items as JSON data. */
export const openItems = (items: readonly Item[]): readonly object[] =>
  items.filter(({ done }) => !done).map(({ id, who, text, visible }) => ({ id, who, text, visible }));
