import { styleText } from 'node:util';

type Style = (text: string) => string;

/** Styles of the terminal; each gives the text back unchanged where colours are off. */
export interface Paint {
  readonly bold: Style;
  readonly dim: Style;
  readonly red: Style;
  readonly green: Style;
  readonly yellow: Style;
}

/** Makes the styles. */
export const createPaint = (on: boolean): Paint => {
  const style =
    (name: keyof Paint): Style =>
    (text) =>
      on && text !== '' ? styleText(name, text, { validateStream: false }) : text;
  return { bold: style('bold'), dim: style('dim'), red: style('red'), green: style('green'), yellow: style('yellow') };
};

/** Colours are used on a terminal, unless NO_COLOR is set to anything or the terminal is a dumb one. */
export const wantsColour = (env: NodeJS.ProcessEnv, isTerminal: boolean): boolean =>
  isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
