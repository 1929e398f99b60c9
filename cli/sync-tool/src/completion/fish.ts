import type { Offer, OptionOffer, Value } from './offers.ts';

const quoted = (raw: string): string => `'${raw.replaceAll(/['\\]/g, '\\$&')}'`;

const valueFlags = (value: Value): string => {
  if (value === 'none') return '';
  if (value === 'path') return ' -r -F';
  return value === 'text' ? ' -x' : ` -x -a ${quoted(value.join(' '))}`;
};

/** Holds while a command stands on the line and no deeper one of it does. */
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

/** A script for fish that completes these commands. */
export const fishScript = (name: string, offers: readonly Offer[]): string =>
  `# fish completion of ${name}
complete -c ${name} -f
${offers.flatMap((offer) => linesOf(name, offer, offers)).join('\n')}
`;
