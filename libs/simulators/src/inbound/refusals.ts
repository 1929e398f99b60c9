/** A refusal with the vendor's error code. */
export interface Refusal {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly description: string;
  /** Devices that the refusal is about; null when it is about none. */
  readonly imeis: readonly string[] | null;
}

/** A 422 about the content of a call. */
export const unprocessable = (
  code: number,
  message: string,
  description: string,
  imeis: readonly string[] | null = null,
): Refusal => ({ status: 422, code, message, description, imeis });

/** Body of an error answer. */
export const refusalBody = (refusal: Refusal, url: string): object => ({
  Code: refusal.code,
  Description: refusal.description,
  IMEI: refusal.imeis,
  Message: refusal.message,
  URL: url,
});
