import { isRow, textOf, type Row } from '../mapping/read.ts';
import { sorted } from './section.ts';

/** What is shown of the user. */
export const userDetails = (me: unknown): object => {
  const user = isRow(me) ? me : {};
  const names = [textOf(user['first_name']), textOf(user['last_name'])].filter((name) => name !== undefined);
  return {
    'Full Name': names.join(' '),
    Username: textOf(user['username']) ?? '',
    'Is Superuser': user['is_superuser'] === true,
  };
};

const kinds = ['Event Category', 'Event Type', 'Event', 'Message', 'Observation'] as const;

/** Sites write the same name with spaces, underscores, or in one word. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];

const permissionsOf = (me: unknown): Row => {
  const permissions = isRow(me) ? me['permissions'] : undefined;
  return isRow(permissions) ? permissions : {};
};

/** What the user may do with each kind of record. */
export const globalPermissions = (me: unknown): object => {
  const entries = Object.entries(permissionsOf(me));
  return Object.fromEntries(
    kinds.map((kind) => [
      kind,
      sorted(entries.flatMap(([name, actions]) => (plain(name) === plain(kind) ? texts(actions) : []))),
    ]),
  );
};

/** What the user may do with the events of a category; who is told nothing of it may look at them. */
export const categoryPermissions = (me: unknown, slug: string): readonly string[] => {
  const own = permissionsOf(me)[slug];
  return own === undefined ? ['view'] : sorted(texts(own));
};
