/** A line of the table. */
export interface Row {
  what: string
  version: string
  does: string
  /** Empty when it did that. */
  problem: string
}

/** A kind of things to run the packed SDK with. */
export interface Idea {
  /** Files to write into a project that has the SDK installed. */
  files: Record<string, string>
  run(folder: string): Promise<Row[]>
}

/** Runs something that throws when it fails, as a line of the table. */
export async function row(line: Omit<Row, 'problem'>, work: () => Promise<unknown>): Promise<Row> {
  try {
    await work()
    return { ...line, problem: '' }
  } catch (error) {
    const said = error instanceof Error && 'stdout' in error ? `\n${error.stdout}` : ''
    return { ...line, problem: `${error}${said}` }
  }
}
