import { plural, printable } from '@ranger-relay/terminal';
import { Command } from 'commander';
import { labelFor } from '../bundle/labels/label.ts';
import { affectedPatrols, type Finding } from '../rehearse/finding.ts';
import { findingsJson, isBlocked, rehearseOn, type Sources, type Verdict, verdictJson } from '../rehearse/rehearse.ts';
import { desiredOf } from '../resources/index.ts';
import type { SyncShell } from '../run/machine.ts';
import type { Facts } from '../summary/write.ts';
import { interruption } from './action.ts';
import { type Output, wordFlag } from './flags.ts';
import { type BundleFlags, readWanted, type Wanted, wantedOf } from './inputs.ts';
import { onSite } from './on-site.ts';

interface Flags extends BundleFlags {
  readonly output: Output;
}

const readSources = async (shell: SyncShell, wanted: Wanted): Promise<Sources> => {
  const { bundle, language } = await readWanted(shell, wanted);
  const { timezone, timezoneVariable, word } = wanted;
  const label = labelFor(bundle.manifest, language);
  const desired = desiredOf(bundle, label, false);
  return { bundle, desired, label, language, timezone, timezoneVariable, word };
};

const findingLines = ({ paint }: SyncShell, finding: Finding, sources: Sources): readonly string[] => {
  const { level, code, message, examples, count, remedy } = finding;
  const affected = affectedPatrols(finding, sources.bundle.requirements);
  const rest = count > examples.length && examples.length > 0 ? [`and ${count - examples.length} more`] : [];
  const patrols = affected === 0 ? '' : ` (${plural(affected, 'patrol')})`;
  return [
    `${level === 'blocks' ? paint.red(level) : paint.yellow(level)} ${code}: ${printable(message)}${patrols}.`,
    ...[...examples, ...rest].map((text) => `  ${printable(text)}`),
    `  ${paint.dim(`${remedy}.`)}`,
  ];
};

const factsOf = ({ findings, sentence }: Verdict): Facts => ({
  message: sentence,
  problems: { items: findings.map(({ code, message }) => `${code}: ${message}`), left_out: 0 },
});

/** `rehearse`: checks whether the patrols of a bundle would import; writes nothing. */
export const rehearseCommand = (shell: SyncShell): Command => {
  const command = new Command('rehearse')
    .option('--bundle <dir>', 'folder of the bundle; config key bundle.path')
    .option('--ext-language <code>', 'language of the run')
    .option('--timezone <name>', 'expected timezone of the bundle; config key ext.timezone');
  const example = '\nExample:\n  $ sync-tool rehearse --config sync.yaml';
  return onSite<Flags>(shell, wordFlag(command), example, async ({ site, flags, file, note }) => {
    const wanted = wantedOf(flags, file);
    const sources = await readSources(shell, wanted);
    const verdict = await rehearseOn(site.withWord(wanted.word), sources);
    if (shell.interrupted().aborted) throw interruption();
    note(factsOf(verdict));
    const { findings, sentence } = verdict;
    return {
      code: isBlocked(verdict) ? 3 : 0,
      lines: [...findings.flatMap((finding) => findingLines(shell, finding, sources)), '', sentence],
      json: {
        site: site.identity,
        ...verdictJson(verdict),
        findings: findingsJson(verdict, sources.bundle.requirements),
      },
    };
  });
};
