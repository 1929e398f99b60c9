import type { Offer, OptionOffer, Value } from './offers.ts';

/** A text inside the single quotes of a specification, where brackets and colons would mean something. */
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

/** A script for zsh that completes these commands; it may be sourced, or lie in a folder of `fpath`. */
export const zshScript = (name: string, offers: readonly Offer[]): string => {
  const first = functionOf(name, []);
  return `#compdef ${name}
${offers.map((offer) => functionText(name, offer, offers)).join('\n')}
if [[ "$funcstack[1]" == ${first} ]]; then ${first} "$@"; else compdef ${first} ${name}; fi
`;
};
