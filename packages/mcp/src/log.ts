/** Says something to the person who runs the program. Standard output belongs to the protocol. */
export function log(line: string): void {
  process.stderr.write(`wigwag-mcp: ${line}\n`)
}
