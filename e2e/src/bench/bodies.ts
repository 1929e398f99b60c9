const epoch = Date.UTC(2026, 0, 1);

/** One position as the vendor sends it. */
const wireEvent = (device: number, n: number): object => ({
  imei: `3004340${String(device).padStart(8, '0')}`,
  messageCode: 0,
  freeText: null,
  timeStamp: epoch + n * 1000,
  pingbackReceived: null,
  pingbackResponded: null,
  addresses: [],
  point: { latitude: -1.28612, longitude: 36.81722, altitude: 1661.5, gpsFix: 2, course: 337.5, speed: 58.665 },
  status: { autonomous: 1, lowBattery: 0, intervalChange: 0, resetDetected: 0 },
  payload: null,
  transportMode: 'Satellite',
});

/** A body with so many events of one device, unlike any other body of this counter. */
export const bodyOf = (device: number, first: number, events: number): string =>
  JSON.stringify({
    Version: '3.0',
    Events: Array.from({ length: events }, (_, index) => wireEvent(device, first + index)),
  });

/** A pushed command to run an action, each with a message id of its own. */
export const commandOf = (integrationId: string, actionId: string, number: number): string => {
  const data = { integration_id: integrationId, action_id: actionId };
  return JSON.stringify({
    message: {
      data: Buffer.from(JSON.stringify(data)).toString('base64'),
      messageId: `m-${process.pid}-${number}`,
      publishTime: '2026-01-01T00:00:00.000Z',
    },
    subscription: 'bench',
  });
};
