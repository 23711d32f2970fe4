export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Shows how far the run is, when stderr is a terminal. An empty text removes it. */
export function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
}
