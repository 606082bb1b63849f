/** The body of a PDU does not follow the protocol. The frame around it may be sound. */
export class TornPdu extends Error {
  override readonly name = 'TornPdu'
}

/** Reads one body. Never reads past its end. */
export class Reader {
  private at = 0
  private readonly body: Buffer

  constructor(body: Buffer) {
    this.body = body
  }

  get left(): number {
    return this.body.length - this.at
  }

  u8(): number {
    return this.octets(1).readUInt8(0)
  }

  u16(): number {
    return this.octets(2).readUInt16BE(0)
  }

  octets(length: number): Buffer {
    if (length > this.left) throw new TornPdu(`expected ${length} more octets, got ${this.left}`)
    this.at += length
    return this.body.subarray(this.at - length, this.at)
  }

  /** Ends with a NUL, or with the body: some peers leave out the last NUL. */
  cString(): string {
    const nul = this.body.indexOf(0, this.at)
    const end = nul < 0 ? this.body.length : nul
    const text = this.body.toString('latin1', this.at, end)
    this.at = nul < 0 ? end : nul + 1
    return text
  }

  /** The optional fields after a body, by tag; the first of equal tags counts. `torn`: the last one is cut off. */
  tlvs(): { tlvs: Map<number, Buffer>; torn: boolean } {
    const tlvs = new Map<number, Buffer>()
    while (this.left >= 4) {
      const tag = this.u16()
      const length = this.u16()
      if (length > this.left) return { tlvs, torn: true }
      const value = this.octets(length)
      if (!tlvs.has(tag)) tlvs.set(tag, value)
    }
    return { tlvs, torn: this.left > 0 }
  }
}

const SLAB = 65_536

/** Writes PDUs one after the other into large buffers, which saves an allocation for each. */
export class Writer {
  private slab = Buffer.allocUnsafeSlow(SLAB)
  private start = 0
  private at = 0

  /** Begins a PDU of at most `room` octets. */
  begin(room: number): this {
    if (this.start + room > this.slab.length) {
      this.slab = Buffer.allocUnsafeSlow(Math.max(SLAB, room))
      this.start = 0
    }
    this.at = this.start
    return this
  }

  u8(value: number): this {
    this.at = this.slab.writeUInt8(value, this.at)
    return this
  }

  u16(value: number): this {
    this.at = this.slab.writeUInt16BE(value, this.at)
    return this
  }

  u32(value: number): this {
    this.at = this.slab.writeUInt32BE(value, this.at)
    return this
  }

  /** Throws without the text itself, which may be a password. */
  cString(text: string, name: string, longest: number): this {
    if (text.length > longest) {
      throw new RangeError(`${name}: expected at most ${longest} characters, got ${text.length}`)
    }
    this.at += this.slab.write(text, this.at, 'latin1')
    return this.u8(0)
  }

  octets(bytes: Uint8Array): this {
    this.slab.set(bytes, this.at)
    this.at += bytes.length
    return this
  }

  tlv(tag: number, value: Uint8Array): this {
    return this.u16(tag).u16(value.length).octets(value)
  }

  /** Fills in the length of the PDU, and returns it. */
  end(): Buffer {
    this.slab.writeUInt32BE(this.at - this.start, this.start)
    const pdu = this.slab.subarray(this.start, this.at)
    this.start = this.at
    return pdu
  }
}
