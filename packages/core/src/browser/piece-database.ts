/** Changes that a database makes together or not at all, in this order. */
export interface PieceChange {
  /** Removes all pieces of these files. */
  readonly dropped?: readonly number[]
  /** Removes the pieces of a file from a position on. */
  readonly cut?: { readonly file: number; readonly at: number }
  /** Adds pieces to files. */
  readonly pieces?: readonly Piece[]
  /** Gives names to files; null removes a name. */
  readonly names?: readonly { readonly name: string; readonly file: number | null }[]
}

/** Bytes of a file, from a position on. */
export interface Piece {
  readonly file: number
  readonly at: number
  readonly bytes: Uint8Array
}

/**
 * Reads one state of a database, whatever is changed meanwhile. Await nothing else between reads.
 */
export interface PieceReads {
  /** The files by name. */
  names(): Promise<ReadonlyMap<string, number>>
  /** The pieces of a file in order, without gaps. */
  pieces(file: number): Promise<readonly Uint8Array[]>
}

/**
 * What a journal needs from a database: numbered files of pieces of bytes, and names for them.
 * IndexedDB implements it; tests use one in memory that injects faults.
 */
export interface PieceDatabase {
  /** Starts to read the state of now. */
  read(): PieceReads
  /** Resolves when the changes survive a crash of the browser and of the machine. */
  change(change: PieceChange): Promise<void>
  close(): void
}
