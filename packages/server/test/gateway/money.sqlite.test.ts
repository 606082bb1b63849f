import { moneySuite } from './money.suite.ts'

moneySuite('an SQLite file')
