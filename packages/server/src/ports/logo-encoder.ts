/** Turns an image that a stranger may have made into one that is ours. */
export interface LogoEncoder {
  /**
   * Decodes a PNG, JPEG or WebP image, known by its content, and encodes its pixels alone as a PNG of at most 512 pixels a
   * side and 256 KB.
   * @throws AppError `invalid_logo` for anything else, and for an image that is too large or takes too long
   */
  encode(file: Uint8Array): Promise<Uint8Array>
}
