/** One item that the simulated platform accepted, for display. */
export interface SimulatedItem {
  readonly kind: 'observation' | 'message';
  readonly integration_id: string;
  /** Time of acceptance, ISO. */
  readonly at: string;
  /** The observation or message itself, as it was posted. */
  readonly item: Readonly<Record<string, unknown>>;
}

/** The newest items that the simulated platform accepted, in order of arrival. */
export type SimulatedItems = (limit: number) => readonly SimulatedItem[] | Promise<readonly SimulatedItem[]>;
