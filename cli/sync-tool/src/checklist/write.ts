import { basename, dirname, join, relative, resolve } from 'node:path';
import { stepOf, type SyncOptions, type SyncStep } from '@ranger-relay/contracts';
import { entryOf, isRelayError, RelayError, toRelayError } from '@ranger-relay/errors';
import type { Site } from '@ranger-relay/site';
import { printable } from '@ranger-relay/terminal';
import type { Bundle } from '../bundle/model.ts';
import type { Label } from '../bundle/labels/label.ts';
import { isPlanFolder, onDisk, replaceDurably } from '../run/files.ts';
import type { Disk, SyncShell } from '../run/machine.ts';
import type { Prepared } from '../plan/plan.ts';
import type { SiteState } from '../plan/state.ts';
import { findingItems, type Verdict } from '../rehearse/rehearse.ts';
import {
  encodeId,
  isChecklist,
  mergeChecklist,
  type Merged,
  type OwnLine,
  replaceLine,
  type Section,
  storedIds,
} from './document.ts';
import { type Actor, failedId, isKept, isOfFailed, type Item, itemsOf, unlistedId } from './items.ts';

/** The header data of the list. */
interface ChecklistHead {
  readonly area: { readonly uuid: string; readonly id: string; readonly name: string };
  /** The site, for a link and as a part of the identity of the section. */
  readonly site: Pick<Site, 'origin' | 'identity'>;
  readonly dryRun: boolean;
  /** Descriptions of the failed steps. */
  readonly failures: ReadonlyMap<SyncStep, string>;
  /** Whether the patrols would import, and before it whether a run has not come to its end. */
  readonly state: string;
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

const itemLine = ({ id, text, done, visible, isNew = false }: Item): OwnLine => ({
  id: encodeId(id),
  text: `${escapeMarkdown(text)}${visible ? '' : ' *(nobody can see from outside whether this is done)*'}`,
  done,
  isNew,
});

const groupOf = (who: Actor, items: readonly Item[]): OwnLine[] => {
  const theirs = items.filter((item) => item.who === who);
  return theirs.length === 0 ? [] : [{ id: `for.${who}`, text: `## ${headings[who]}` }, ...theirs.map(itemLine)];
};

const dryRunId = 'about.dry-run';
const importId = 'import';

const sectionId = (area: { readonly uuid: string }, { identity }: Pick<Site, 'identity'>): string =>
  `section.${encodeId(area.uuid)}@${encodeId(identity)}`;

const titleOf = ({ name, id }: ChecklistHead['area']): string =>
  `# Patrol import: what is left to do for ${escapeMarkdown(name)} (${escapeMarkdown(id)})`;

const aboutRun = ({ origin }: Pick<Site, 'origin'>): OwnLine => ({
  id: 'about.run',
  text: `The rest of preparing [the site](<${origin}/>).`,
});

/** Formats the list of one area of one site, grouped by the person who must act. */
const sectionOf = (items: readonly Item[], { area, site, dryRun, failures, state }: ChecklistHead): Section => {
  const about = dryRun
    ? { id: dryRunId, text: `A dry run: nothing was written to [the site](<${site.origin}/>).` }
    : aboutRun(site);
  return {
    id: sectionId(area, site),
    title: titleOf(area),
    lines: [
      about,
      ...(state === '' ? [] : [{ id: importId, text: state }]),
      ...[...failures].map(([step, text]) => ({ id: failedId(step), text: `> **Failed:** ${escapeMarkdown(text)}` })),
      ...(['operator', 'site_admin', 'ext_admin'] as const).flatMap((who) => groupOf(who, items)),
      {
        id: 'notes',
        text: '*Later runs keep your ticks and whatever you write, here or behind an item; they know their own lines by the comments at the end.*',
      },
    ],
  };
};

const refused = (path: string, reason: string): RelayError =>
  new RelayError('output_not_writable', { details: { path, reason } });

/**
 * Reads the file of the list; an absent one is empty.
 * @throws RelayError `output_not_writable` for a file that is not a list of this tool, so that none of a person's is replaced
 */
export const readChecklist = async (disk: Disk, path: string): Promise<string> => {
  const content = await disk.readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw refused(path, error.message);
  });
  if (content.includes('\uFFFD')) throw refused(path, 'it is not in UTF-8, and would lose what a person wrote');
  if (content.trim() !== '' && !isChecklist(content))
    throw refused(
      path,
      'it has no comment (<!-- sync-tool … -->) of a checklist of this tool; rename it, run again, and carry over what people wrote',
    );
  return content;
};

/** Where each plan has a numbered folder, the list of the plan before: ticks and notes go on from plan to plan. */
const earlierChecklist = async (disk: Disk, path: string): Promise<string> => {
  const folder = dirname(resolve(path));
  if (!isPlanFolder(basename(folder))) return '';
  const names = await disk.readdir(dirname(folder)).catch(() => []);
  const before = names.filter((name) => isPlanFolder(name) && Number(name) < Number(basename(folder)));
  for (const name of before.toSorted((a, b) => Number(b) - Number(a))) {
    const content = await readChecklist(disk, join(dirname(folder), name, basename(path))).catch(() => '');
    if (content !== '') return content;
  }
  return '';
};

/** Replaces the file unless somebody has saved it since it was read. @returns whether it was replaced */
const replaceUnchanged = async (disk: Disk, path: string, before: string, after: string): Promise<boolean> => {
  // A link stays a link.
  const target = await disk.realpath(path).catch(() => path);
  const isFile = (await disk.stat(target).catch(() => undefined))?.isFile() ?? true;
  if ((await readChecklist(disk, path)) !== before) return false;
  if (isFile) await replaceDurably(disk, target, after);
  else await onDisk(path, () => disk.writeFile(path, after));
  return true;
};

const maxAttempts = 10;

interface Updated extends Pick<Merged, 'done'> {
  readonly isStored: boolean;
}

/** Changes the file, which a person may save at the same time. */
const changeFile = async <T extends { readonly content: string | undefined }>(
  disk: Disk,
  path: string,
  change: (before: string) => Promise<T>,
): Promise<T> => {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const before = await readChecklist(disk, path);
    const changed = await change(before);
    const { content = before } = changed;
    if (content === before || (await replaceUnchanged(disk, path, before, content))) return changed;
  }
  throw refused(path, 'another program keeps changing it');
};

/** Brings the section up to date in the file. */
const updateFile = async (disk: Disk, path: string, section: Section, dryRun: boolean): Promise<Updated> => {
  const { done, content } = await changeFile(disk, path, async (before) => {
    const merged = mergeChecklist(before || (await earlierChecklist(disk, path)), section);
    const isOfRun = dryRun && storedIds(before, section.id)?.has(dryRunId) === false;
    return { done: merged.done, content: isOfRun ? undefined : merged.content };
  });
  return { done, isStored: content !== undefined };
};

const importText = ({ sentence }: Verdict, dryRun = false): string =>
  `Import of the patrols${dryRun ? ' after the run' : ''}: ${escapeMarkdown(sentence)}`;

/** The line of a section while a run has not come to its end; it stands there from before the first write. */
export const unfinishedText = (checklist: string, record: string): string => {
  const name = escapeMarkdown(relative(dirname(resolve(checklist)), record));
  return `A run began and has not come to its end (record ${name}): finish it with resume, or undo it.`;
};

/** Joins the sentences of that line. */
const stateText = (...sentences: readonly (string | undefined)[]): string => sentences.filter(Boolean).join(' ');

/** The line of a section after a call that does not bring its items up to date. */
export const endText = (unfinished: string | undefined, verdict: Verdict | undefined): string =>
  stateText(unfinished, verdict ? importText(verdict) : 'Verify tells whether the patrols would import.');

/** The line that takes its place when a run was undone. */
export const undoneText = (at: string): string =>
  `A run was undone at ${at}; the next run, or verify, brings this list up to date.`;

/** The section of an area of a site. */
interface SectionOf extends Pick<ChecklistHead, 'area' | 'site'> {
  /** Whether the section is begun where the file has none. */
  readonly begins: boolean;
}

/** Puts the line of a section in its place; all else stays, but for the line that only a dry run was made. */
const noted = (before: string, { area, site, begins }: SectionOf, text: string): string => {
  const [id, line, about] = [sectionId(area, site), { id: importId, text }, aboutRun(site)];
  const stored = storedIds(before, id);
  if (!stored)
    return begins ? mergeChecklist(before, { id, title: titleOf(area), lines: [about, line] }).content : before;
  return replaceLine(stored.has(dryRunId) ? replaceLine(before, id, about, dryRunId) : before, id, line);
};

/** Notes how things stand in the section of an area. A file that cannot be written is named, and changes nothing else. */
export const tryToNote = async (
  { machine: { disk }, err }: Pick<SyncShell, 'machine' | 'err'>,
  path: string,
  section: SectionOf,
  text: string,
): Promise<void> => {
  await changeFile(disk, path, async (before) => {
    const known = before || (section.begins ? await earlierChecklist(disk, path) : '');
    return { content: noted(known, section, text) };
  }).catch((error: unknown) => {
    const { code, message } = toRelayError(error);
    err(printable(`Warning: ${message}. The checklist does not say: ${text} Check: ${entryOf(code).check}`));
  });
};

/** Name of the roster group, null when there is none, undefined when the site could not be asked. */
const foundGroup = ({ roster }: SiteState): string | null | undefined => {
  if ('value' in roster) return roster.value?.group.name ?? null;
  return isRelayError(roster.failure, 'roster_group_unknown') ? null : undefined;
};

/** The input of a checklist. */
interface ChecklistOptions {
  readonly disk: Disk;
  readonly path: string;
  readonly bundle: Bundle;
  readonly label: Label;
  readonly options: SyncOptions;
  readonly site: Pick<Site, 'origin' | 'identity'>;
  readonly dryRun: boolean;
  readonly prepared: Prepared;
  /** Names of active members whom a patrol cannot name; only a check looks. */
  readonly unlisted?: readonly string[] | undefined;
  readonly failures: ReadonlyMap<SyncStep, RelayError>;
  /** Whether the patrols would import; undefined when nobody looked. */
  readonly verdict: Verdict | undefined;
  /** Record of the run of the area that has not come to its end. */
  readonly unfinished: string | undefined;
  /** Describes a failed step; absent for a check, which leaves the failures of the last run as long as something of the step is missing. */
  readonly failureText?: (step: SyncStep, error: RelayError) => string;
}

/** The items of a checklist, with the ticks of people as far as the file could be read. */
export interface Checklist {
  readonly items: readonly Item[];
  /** Why the file is not up to date. */
  readonly failure?: RelayError;
  /** Whether the file has the items; the list of a run is not replaced by that of a dry run. */
  readonly isStored: boolean;
}

/** Steps of which the site does not have everything. */
const missingSteps = ({ plan, failures }: Prepared): readonly SyncStep[] => [
  ...new Set([...plan.changes.map((change) => stepOf(change)), ...failures.keys()]),
];

/** Brings the checklist up to date; a dry run leaves that of a run as it is. */
export const writeChecklist = async (parts: ChecklistOptions): Promise<Checklist> => {
  const { disk, path, bundle, label, options, site, dryRun, prepared, unlisted, failures, verdict } = parts;
  const { failureText, unfinished } = parts;
  const { desired, state, notes, remarks } = prepared;
  const manual = itemsOf({
    bundle,
    desired,
    label,
    word: options.word,
    patrolSchemas: state.patrolSchemas,
    roster: { asked: options.roster_group, found: foundGroup(state) },
    types: 'value' in state.types ? state.types.value : null,
    teams: 'value' in state.teams ? state.teams.value : null,
    unlisted,
    remarks,
    notes,
    failures,
  });
  const failed = new Map(failureText && [...failures].map(([step, error]) => [step, failureText(step, error)]));
  const missing = failureText ? [] : missingSteps(prepared);
  const due = new Set([...failures.keys(), ...missing]);
  const items = [...manual, ...(verdict ? findingItems(verdict, due) : [])];
  const isUnread = [state.types, state.choices, state.form].some((read) => 'failure' in read);
  const section = {
    ...sectionOf(items, {
      area: bundle.manifest.area,
      site,
      dryRun,
      failures: failed,
      state: stateText(unfinished && unfinishedText(path, unfinished), verdict && importText(verdict, dryRun)),
    }),
    // What other areas rely on was not looked at, or a check does not try what failed.
    isUnknown: (id: string) =>
      (isUnread && isKept(id)) ||
      (unlisted === undefined && id === unlistedId) ||
      missing.some((step) => isOfFailed(id, step)),
  };
  try {
    const { done, isStored } = await updateFile(disk, path, section, dryRun);
    return { items: items.map((item) => ({ ...item, done: done.get(encodeId(item.id)) ?? item.done })), isStored };
  } catch (error) {
    if (!isRelayError(error, 'output_not_writable')) throw error;
    return { items, failure: error, isStored: false };
  }
};

/** The open items as JSON data. */
export const openItems = (items: readonly Item[]): readonly object[] =>
  items.filter(({ done }) => !done).map(({ id, who, text, visible }) => ({ id, who, text, visible }));
