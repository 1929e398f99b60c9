import type { Offer, OptionOffer, Value } from './table.ts';

const reply = (value: Value): string => {
  // Readline's own path completion handles blanks and quotes.
  if (value === 'path') return 'compopt -o default 2>/dev/null';
  return value === 'none' || value === 'text' ? ':' : `COMPREPLY=($(compgen -W "${value.join(' ')}" -- "$word"))`;
};

const key = (words: readonly string[], last: string): string => `"${[...words, last].join(' ')}"`;

/** A branch for each word that leads from one command to its subcommand. */
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

/** Generates a bash completion script for these commands. */
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

/** Escapes a text within the single quotes of a specification, where brackets and colons have a meaning. */
const text = (raw: string): string => raw.replaceAll(/[[\]:\\]/g, '\\$&').replaceAll("'", "'\\''");

const action = (value: Value): string => {
  if (value === 'none') return '';
  if (value === 'path') return ':path:_files';
  return value === 'text' ? ':value: ' : `:value:(${value.join(' ')})`;
};

const spec = ({ names, description, value }: OptionOffer): readonly string[] =>
  names.map((name) => `'*${name}[${text(description)}]${action(value)}'`);

const functionOf = (tool: string, words: readonly string[]): string =>
  [`_${tool}`, ...words].join('_').replaceAll('-', '_');

const argumentSpec = ({ commands, argument }: Offer): readonly string[] => {
  if (commands.length > 0) return ["'1: :->command'", "'*::argument:->next'"];
  return argument === 'none' ? [] : [`'*${action(argument)}'`];
};

const described = ({ words, commands }: Offer, all: readonly Offer[]): readonly string[] =>
  commands.map((name) => {
    const path = [...words, name].join(' ');
    const about = all.find((other) => other.words.join(' ') === path)?.description ?? 'Help of a command';
    return `        '${name}:${about.replaceAll("'", "'\\''")}'`;
  });

const dispatch = (tool: string, offer: Offer, all: readonly Offer[]): readonly string[] => {
  const { words, commands } = offer;
  if (commands.length === 0) return [];
  const deeper = commands.filter((name) => name !== 'help');
  return [
    '  case "$state" in',
    '    command)',
    '      local -a names=(',
    ...described(offer, all),
    '      )',
    '      _describe command names ;;',
    '    next)',
    '      case "$words[1]" in',
    ...deeper.map((name) => `        ${name}) ${functionOf(tool, [...words, name])} ;;`),
    '      esac ;;',
    '  esac',
  ];
};

const functionText = (tool: string, offer: Offer, all: readonly Offer[]): string =>
  [
    `${functionOf(tool, offer.words)}() {`,
    '  local context state state_descr line',
    '  typeset -A opt_args',
    '  _arguments -C \\',
    [...offer.options.flatMap(spec), ...argumentSpec(offer)].map((each) => `    ${each}`).join(' \\\n'),
    ...dispatch(tool, offer, all),
    '}',
  ].join('\n');

/** Generates a zsh completion script for these commands; it can be sourced, or placed in a folder of `fpath`. */
export const zshScript = (name: string, offers: readonly Offer[]): string => {
  const first = functionOf(name, []);
  return `#compdef ${name}
${offers.map((offer) => functionText(name, offer, offers)).join('\n')}
if [[ "$funcstack[1]" == ${first} ]]; then ${first} "$@"; else compdef ${first} ${name}; fi
`;
};

const quoted = (raw: string): string => `'${raw.replaceAll(/['\\]/g, '\\$&')}'`;

const valueFlags = (value: Value): string => {
  if (value === 'none') return '';
  if (value === 'path') return ' -r -F';
  return value === 'text' ? ' -x' : ` -x -a ${quoted(value.join(' '))}`;
};

/** A condition that is true while the line contains a command and none of its subcommands. */
const condition = ({ words, commands }: Offer): string => {
  const deeper = commands.length === 0 ? [] : [`not __fish_seen_subcommand_from ${commands.join(' ')}`];
  const conditions = [...words.map((word) => `__fish_seen_subcommand_from ${word}`), ...deeper];
  return ` -n ${quoted(conditions.join('; and '))}`;
};

const optionLine = (name: string, offer: Offer, { names, description, value }: OptionOffer): string => {
  const spelled = names.map((each) => (each.startsWith('--') ? `-l ${each.slice(2)}` : `-s ${each.slice(1)}`));
  return `complete -c ${name}${condition(offer)} ${spelled.join(' ')}${valueFlags(value)} -d ${quoted(description)}`;
};

const linesOf = (name: string, offer: Offer, all: readonly Offer[]): readonly string[] => [
  ...offer.commands.map((child) => {
    const about = all.find(({ words }) => words.join(' ') === [...offer.words, child].join(' '))?.description;
    return `complete -c ${name}${condition(offer)} -a ${child} -d ${quoted(about ?? 'Help of a command')}`;
  }),
  ...(typeof offer.argument === 'string'
    ? offer.argument === 'path'
      ? [`complete -c ${name}${condition(offer)} -F`]
      : []
    : [`complete -c ${name}${condition(offer)} -a ${quoted(offer.argument.join(' '))}`]),
  ...offer.options.map((option) => optionLine(name, offer, option)),
];

/** Generates a fish completion script for these commands. */
export const fishScript = (name: string, offers: readonly Offer[]): string =>
  `# fish completion of ${name}
complete -c ${name} -f
${offers.flatMap((offer) => linesOf(name, offer, offers)).join('\n')}
`;
