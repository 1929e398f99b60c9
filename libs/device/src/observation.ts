import type { Observation } from '@ranger-relay/contracts';
import { addMarks, codeOf, motionOf, statusOf, type Marks } from './additional.ts';
import type { DeviceEvent } from './payload.ts';

/** A position for the platform (device contract, section 3). */
export const observationOf = (
  event: DeviceEvent,
  recordedAt: string,
  location: Observation['location'],
  marks: Marks,
): Observation => ({
  source: event.source,
  source_name: event.source,
  type: 'gps-radio',
  subject_type: 'ranger',
  recorded_at: recordedAt,
  location,
  additional: addMarks({ ...statusOf(event.status), ...motionOf(event), ...codeOf(event) }, event, marks),
});
