/** Packed bits as text. */
export function base64(bits: Uint8Array): string {
  return btoa(String.fromCharCode(...bits));
}
