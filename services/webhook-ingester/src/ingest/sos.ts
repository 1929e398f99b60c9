const sosCodes: ReadonlySet<unknown> = new Set([4, 6, 7, '4', '6', '7']);

/** Whether an event of a body, readable or not, says by its code that it is an emergency. */
export const isSos = (event: unknown): boolean =>
  typeof event === 'object' && event !== null && 'messageCode' in event && sosCodes.has(event.messageCode);
