//! The call graph, and the size of the program if all calls are inlined.

use super::super::cycles::{components, is_cycle};
use super::super::procedures::Procedure;
use super::super::routine::{Action, Call, Step};

pub(super) struct CallGraph {
    /// By procedure: those that call each other have the same number.
    pub component: Vec<usize>,
    /// By procedure: does it call itself, perhaps through others?
    pub recursive: Vec<bool>,
    /// By procedure: is nothing left to be done behind such calls, so that they are jumps?
    pub tail: Vec<bool>,
    /// By procedure: the edges of its body with everything inlined.
    pub size: Vec<usize>,
}

impl CallGraph {
    pub fn of(procedures: &[Procedure<'_>]) -> Self {
        let callees: Vec<Vec<usize>> = procedures
            .iter()
            .map(|procedure| {
                let steps = procedure.routines.iter().flat_map(|routine| &routine.steps);
                steps.filter_map(called).map(|call| call.callee).collect()
            })
            .collect();
        let count = procedures.len();
        let mut graph = CallGraph {
            component: vec![0; count],
            recursive: vec![false; count],
            tail: vec![false; count],
            size: vec![0; count],
        };
        for (number, members) in components(&callees).into_iter().enumerate() {
            let tail = members.iter().all(|&p| only_tail_calls(&procedures[p], &members));
            let mut size = 0usize;
            for &procedure in &members {
                let routines = &procedures[procedure].routines;
                let own: usize = routines.iter().map(|routine| routine.steps.len()).sum();
                // Those of the component have no size yet.
                let inlined = callees[procedure].iter().map(|&callee| graph.size[callee]);
                size = inlined.fold(size.saturating_add(own), usize::saturating_add);
            }
            for &procedure in &members {
                graph.component[procedure] = number;
                graph.recursive[procedure] = is_cycle(&members, &callees);
                graph.tail[procedure] = tail;
                graph.size[procedure] = size;
            }
        }
        graph
    }
}

fn called(step: &Step) -> Option<&Call> {
    match &step.action {
        Action::Call(call) => Some(call),
        Action::Skip | Action::Do(_) | Action::Check(_) => None,
    }
}

/// Is nothing done between the return of one of these callees and the return itself?
fn only_tail_calls(procedure: &Procedure<'_>, callees: &[usize]) -> bool {
    procedure.outputs.is_empty()
        && procedure.contract.ensures.is_empty()
        && procedure.routines.iter().all(|routine| {
            let inner = |step: &&Step| called(step).is_some_and(|c| callees.contains(&c.callee));
            routine.steps.iter().filter(inner).all(|step| step.to == routine.exit)
        })
}
