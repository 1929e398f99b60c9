import type { Offer, OptionOffer, Value } from './offers.ts';

const reply = (value: Value): string => {
  // Readline's own completion of paths knows blanks and quotes.
  if (value === 'path') return 'compopt -o default 2>/dev/null';
  return value === 'none' || value === 'text' ? ':' : `COMPREPLY=($(compgen -W "${value.join(' ')}" -- "$word"))`;
};

const key = (words: readonly string[], last: string): string => `"${[...words, last].join(' ')}"`;

/** A branch for each word that leads from one command to the next. */
const steps = (offers: readonly Offer[]): readonly string[] =>
  offers.flatMap(({ words, commands }) =>
    commands.map((name) => `      ${key(words, name)}) at=${key(words, name)} ;;`),
  );

const valueBranch =
  ({ words }: Offer) =>
  ({ names, value }: OptionOffer): string =>
    `    ${names.map((name) => key(words, name)).join('|')}) ${reply(value)}; return ;;`;

/** A branch for each option that takes a value. */
const values = (offers: readonly Offer[]): readonly string[] =>
  offers.flatMap((offer) => offer.options.filter(({ value }) => value !== 'none').map(valueBranch(offer)));

const listBranch = ({ words, options, commands, argument }: Offer): string => {
  const known = typeof argument === 'string' ? [] : argument;
  const all = [...commands, ...known, ...options.flatMap(({ names }) => names)].join(' ');
  const paths = argument === 'path' ? ' files=yes' : '';
  return `    "${words.join(' ')}") words="${all}"${paths} ;;`;
};

/** A script for bash that completes these commands. */
export const bashScript = (name: string, offers: readonly Offer[]): string => `# bash completion of ${name}
_${name.replaceAll('-', '_')}() {
  local word="\${COMP_WORDS[COMP_CWORD]}" at="" index words="" files=""
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "\${at:+$at }\${COMP_WORDS[index]}" in
${steps(offers).join('\n')}
    esac
  done
  case "\${at:+$at }\${COMP_WORDS[COMP_CWORD-1]}" in
${values(offers).join('\n')}
  esac
  case "$at" in
${offers.map(listBranch).join('\n')}
  esac
  if [[ $files && $word != -* ]]; then
    compopt -o default 2>/dev/null
  else
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  fi
}
complete -F _${name.replaceAll('-', '_')} ${name}
`;
