const LEFT_OUT = new Set(process.env.ZATGATE_TEST_LEFT_OUT?.split(' '))

/** The reason to skip a test that `.ci/run` leaves out, because no file that it tests has changed; else false. */
export function leftOut(name: string): string | false {
  return LEFT_OUT.has(name) && `${name}: no file has changed since its tests passed`
}
