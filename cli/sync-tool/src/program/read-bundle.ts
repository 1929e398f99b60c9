import { printable, type Shell } from '@ranger-relay/terminal';
import type { Bundle } from '../bundle/model.ts';
import { chooseLanguage } from '../bundle/labels/label.ts';
import { readBundle } from '../bundle/read/read-bundle.ts';
import { assertTimezone } from '../bundle/time/time.ts';

/** The bundle of a command and the language of its texts. */
export interface Loaded {
  readonly bundle: Bundle;
  readonly language: string;
}

/** The options of reading a bundle. */
export interface Wanted {
  readonly path: string;
  readonly language?: string | undefined;
  readonly timezone?: string | undefined;
}

/** Reads and checks a bundle and prints its warnings. @throws RelayError `bundle_invalid`, `language_unknown`, `timezone_mismatch` */
export const loadBundle = async (shell: Shell, { path, language: wanted, timezone }: Wanted): Promise<Loaded> => {
  const bundle = await readBundle(path);
  shell.progress('');
  const { language, infos, warnings } = chooseLanguage(bundle.manifest.languages, wanted);
  const odd = bundle.warnings.map(({ text }) => text);
  for (const text of [...odd, ...warnings, ...assertTimezone(bundle.manifest, timezone)])
    shell.err(printable(`Warning: ${text}`));
  for (const text of infos) shell.err(printable(text));
  return { bundle, language };
};
