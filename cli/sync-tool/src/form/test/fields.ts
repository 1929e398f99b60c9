import type { FormField } from '../model.ts';

const core = { core: true, deprecated: false };

/** The six core fields and one attribute of each type. */
export const ourFields: readonly FormField[] = [
  { property: 'objective', title: 'Objective', kind: 'text-long', ...core },
  { property: 'mandate', title: 'Mandate', kind: 'choice', choiceField: 'patrol_mandate', ...core },
  { property: 'station', title: 'Station', kind: 'choice', choiceField: 'patrol_station', ...core },
  { property: 'patrol_class', title: 'Patrol class', kind: 'choice', choiceField: 'patrol_class', ...core },
  { property: 'armed', title: 'Armed', kind: 'boolean', ...core },
  { property: 'comment', title: 'Comment', kind: 'text-long', ...core },
  { property: 'ext_crew', title: 'Crew', kind: 'number', deprecated: false, core: false },
  { property: 'ext_note', title: 'Note', kind: 'text-short', deprecated: true, core: false },
  { property: 'ext_day', title: 'Day', kind: 'date', deprecated: false, core: false },
  {
    property: 'ext_weather',
    title: 'Weather',
    kind: 'choice',
    choiceField: 'patrol_weather',
    deprecated: false,
    core: false,
  },
];
