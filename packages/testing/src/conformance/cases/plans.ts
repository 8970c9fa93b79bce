import type { CaseTable } from '../case.ts'
import { absent, aNumber, contains, only } from '../expect.ts'
import { employees } from '../fixtures/employees.ts'
import { orders } from '../fixtures/orders.ts'

const JOIN = 'Join on Table : Users  :  Orders.Purchaser = Users.ID'

/** `$queryplan` and `$querypath`. */
export const plans: CaseTable = [
  {
    id: 148,
    title: 'the plan of a filter, short and long, as the first member',
    fixture: orders,
    steps: [
      {
        send: 'GET /rest/Orders?$filter="Quantity > 4 AND Purchaser.Name = user2"&$queryplan=true',
        keys: ['20'],
        names: [
          '__queryPlan',
          '__extendedQueryPlan',
          '__DATACLASS',
          '__entityModel',
          '__GlobalStamp',
          '__COUNT',
          '__FIRST',
          '__ENTITIES',
          '__SENT',
        ],
        reply: {
          __COUNT: 1,
          __queryPlan: only({
            And: [
              only({ item: JOIN, subquery: [only({ item: 'Users.Name === user2' })] }),
              only({ item: 'Orders.Quantity > 4' }),
            ],
          }),
          __extendedQueryPlan: only({
            type: 'LogicOperatorNode',
            logicOper: 'And',
            parts: [
              only({
                type: 'JoinNode',
                targetTable: 'Users',
                instance: aNumber,
                joinPath: [
                  only({
                    leftTable: 'Orders',
                    leftField: 'Purchaser',
                    leftInstance: 1,
                    rightTable: 'Users',
                    rightField: 'ID',
                    rightInstance: aNumber,
                  }),
                ],
                filter: only({
                  type: 'SeqNode',
                  field: 'Name',
                  table: 'Users',
                  instance: aNumber,
                  oper: ' === ',
                  value: 'user2',
                }),
              }),
              only({
                type: 'SeqNode',
                field: 'Quantity',
                table: 'Orders',
                instance: 1,
                oper: ' > ',
                value: 4,
              }),
            ],
          }),
        },
      },
    ],
  },
  {
    id: 150,
    title: 'the path of a filter ends at a step without results',
    fixture: employees,
    steps: [
      {
        send: 'GET /rest/Employee?$filter="employer.name=nowhere AND lastName=Jones"&$querypath=true',
        keys: [],
        reply: {
          __queryPath: only({
            steps: [
              only({
                description: 'AND',
                time: aNumber,
                recordsfounds: 0,
                steps: [
                  only({
                    description: 'Join on Table : Company  :  Employee.employer = Company.ID',
                    time: aNumber,
                    recordsfounds: 0,
                    steps: [
                      only({
                        steps: [
                          only({
                            description: 'Company.name === nowhere',
                            time: aNumber,
                            recordsfounds: 0,
                          }),
                        ],
                      }),
                    ],
                  }),
                ],
              }),
            ],
          }),
        },
      },
    ],
  },
  {
    id: 'P1',
    title: 'a single comparison is one item; without a filter the plan is empty',
    fixture: orders,
    steps: [
      {
        send: 'GET /rest/Orders?$filter="Quantity > 4"&$queryplan=true',
        reply: { __queryPlan: only({ item: 'Orders.Quantity > 4' }) },
      },
      {
        send: 'GET /rest/Orders?$queryplan=true',
        reply: { __queryPlan: only({}), __extendedQueryPlan: only({}) },
      },
      { send: 'GET /rest/Orders?$filter="Quantity > 4"', reply: { __queryPlan: absent } },
    ],
  },
  {
    id: 'P2',
    title: 'plan and path combine with every read parameter; bare replies have them in a header',
    fixture: orders,
    steps: [
      {
        send: 'GET /rest/Orders?$filter="Quantity > 4"&$queryplan=true&$querypath=true&$top=1&$orderby=ID&$method=entityset',
        names: [
          '__ENTITYSET',
          '__queryPlan',
          '__extendedQueryPlan',
          '__queryPath',
          '__extendedQueryPath',
          '__DATACLASS',
          '__entityModel',
          '__GlobalStamp',
          '__COUNT',
          '__FIRST',
          '__ENTITIES',
          '__SENT',
        ],
      },
      {
        send: 'GET /rest/Orders/Quantity?$filter="Quantity > 4"&$compute=count&$queryplan=true',
        exactly: '6',
        replyHeaders: { 'entia-query-plan': contains('Orders.Quantity > 4') },
      },
      {
        send: 'GET /rest/Orders/Quantity?$filter="Quantity > 4"&$compute=$all&$queryplan=true',
        names: ['__queryPlan', '__extendedQueryPlan', 'Quantity'],
      },
      {
        send: 'GET /rest/Orders?$filter="Quantity > 5"&$format=dashboard&$queryplan=true',
        names: [
          '__queryPlan',
          '__extendedQueryPlan',
          'schema',
          'rows',
          'filtersApplied',
          '__COUNT',
          '__FIRST',
        ],
      },
    ],
  },
]
