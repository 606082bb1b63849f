import { moneySuite } from './money.suite.ts'

moneySuite('PostgreSQL')
