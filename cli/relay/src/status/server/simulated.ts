/** One item as the simulated platform took it, for people. */
export interface SimulatedItem {
  readonly kind: 'observation' | 'message';
  readonly integration_id: string;
  /** When it was taken, ISO. */
  readonly at: string;
  /** The observation or message itself, as it was posted. */
  readonly item: Readonly<Record<string, unknown>>;
}

/** The newest items that the simulated platform took, in the order in which they came, the newest last. */
export type SimulatedItems = (limit: number) => readonly SimulatedItem[] | Promise<readonly SimulatedItem[]>;
