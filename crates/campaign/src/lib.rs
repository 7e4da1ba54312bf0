//! Campaigns: many runs named by one file, their results in one folder, merged as they come.
//!
//! * [`mod@file`]: the campaign file, checked, with the line of each mistake.
//! * [`plan`]: its runs, numbered; each has an [`identity`], the hash of all that decides about its result.
//! * [`record`]: the result of a run as a line that notices when it is torn.
//! * [`store`]: the folder, in which a result is a file that appears whole and is never changed.
//! * [`merge`]: results to findings, the same whatever order they come in.
//! * [`documents`]: findings to documents of `report`; [`tables`]: results to tables.
//! * [`slurm`]: the words of Slurm's commands, and their answers.
//!
//! Nothing here starts a process: the command line does.

pub mod documents;
pub mod file;
pub mod identity;
pub mod merge;
pub mod plan;
pub mod record;
pub mod slurm;
pub mod store;
pub mod tables;
