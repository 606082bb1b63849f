/** Identifies the source of a move that continues: every change of a stopped gateway's file changes these. */
export interface SourceFile {
  path: string
  bytes: number
  modifiedAt: number
}
