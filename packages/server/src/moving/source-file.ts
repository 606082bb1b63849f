/** By what a move that goes on knows its source again. Every change of a stopped gateway's file changes these. */
export interface SourceFile {
  path: string
  bytes: number
  modifiedAt: number
}
