import { printable } from '@ranger-relay/terminal';
import type { Actor, Item } from './items.ts';

/** What the head of the list says. */
export interface ChecklistHead {
  readonly area: { readonly id: string; readonly name: string };
  /** Address of the site, for a link. */
  readonly origin: string;
  readonly dryRun: boolean;
  /** Steps that failed, in words. */
  readonly failures: readonly string[];
}

const headings: Readonly<Record<Actor, string>> = {
  operator: 'Operator of the site, or the vendor',
  site_admin: 'Admin of the site',
  ext_admin: 'Admin of the external system',
};

/** Text of people as it is, whatever it holds: nothing of it is taken for markup. */
export const escapeMarkdown = (text: string): string =>
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

/** The list as a Markdown document, grouped by who must act. */
export const checklistMarkdown = (
  items: readonly Item[],
  { area, origin, dryRun, failures }: ChecklistHead,
): string => {
  const title = `# Patrol import: what is left to do for ${escapeMarkdown(area.name)} (${escapeMarkdown(area.id)})`;
  const about = dryRun
    ? `A dry run: nothing was written to [the site](<${origin}/>).`
    : `The rest of preparing [the site](<${origin}/>).`;
  const troubles = failures.map((failure) => `> **Failed:** ${escapeMarkdown(failure)}`);
  const body = (['operator', 'site_admin', 'ext_admin'] as const).flatMap((who) => section(who, items));
  const rest = body.length > 0 ? body : ['Nothing is left to do.', ''];
  return [title, '', about, '', ...(troubles.length > 0 ? [...troubles, ''] : []), ...rest].join('\n');
};
