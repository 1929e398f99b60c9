import type { Team } from '@ranger-relay/site';
import { type Label, labelLimits } from '../bundle/labels/label.ts';
import type { Bundle } from '../bundle/model.ts';

/** A name as the site compares names: case and surrounding spaces do not matter. */
const foldedName = (name: string): string => name.normalize('NFC').trim().toLowerCase();

/** A team that the patrol configuration must have: the import of a patrol whose team is missing fails. */
export interface NeededTeam {
  readonly uuid: string;
  /** As the import looks for it. */
  readonly name: string;
  /** Null where the bundle does not say. */
  readonly members: number | null;
  /** How many patrols name it. */
  readonly patrols: number;
}

/** What the names of teams are made from. */
export interface TeamSources {
  readonly bundle: Pick<Bundle, 'teams' | 'usage'>;
  readonly label: Label;
  readonly word: string;
}

/** The active teams of a bundle, and those that patrols name, also where only patrols do; the most used first. */
export const neededTeams = ({ bundle: { teams, usage }, label, word }: TeamSources): readonly NeededTeam[] => {
  const listed = new Map(teams.map((team) => [team.uuid, team]));
  const active = teams.flatMap(({ uuid, isActive }) => (isActive ? [uuid] : []));
  return [...new Set([...active, ...usage.teams.keys()])]
    .map((uuid) => {
      const team = listed.get(uuid);
      const name = team
        ? label(team.names, team.key ?? uuid, labelLimits.type)
        : `${word.toUpperCase()} team ${uuid.slice(0, 8)}`;
      return { uuid, name, members: team?.members ?? null, patrols: usage.teams.get(uuid) ?? 0 };
    })
    .toSorted((a, b) => b.patrols - a.patrols);
};

/** Whether the patrol configuration has a team, by display or value. */
export const teamState = (teams: readonly Team[], name: string): 'active' | 'inactive' | 'missing' => {
  const alike = teams.filter(({ display, value }) =>
    [display, value].some((each) => foldedName(each) === foldedName(name)),
  );
  if (alike.some(({ is_active }) => is_active)) return 'active';
  return alike.length > 0 ? 'inactive' : 'missing';
};
