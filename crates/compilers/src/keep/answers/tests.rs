use super::*;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};

fn folder(test: &str) -> Answers {
    let folder = std::env::temp_dir().join(format!("warprace-answers-{}-{test}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    Answers { folder, most: MOST_OF_ALL }
}

fn clear(answers: &Answers) {
    fs::remove_dir_all(&answers.folder).unwrap();
}

#[test]
fn an_answer_is_read_as_it_was_written() {
    let answers = folder("whole");
    assert_eq!(answers.read(7), None);
    for body in [&b"proved"[..], b"", b"several\nlines\n", &[0xff; 3000]] {
        answers.write(7, body).unwrap();
        assert_eq!(answers.read(7).as_deref(), Some(body));
    }
    assert_eq!(answers.read(8), None);
    assert!(answers.write(8, &vec![0; MOST_OF_ONE]).is_err());
    assert_eq!(answers.read(8), None);
    assert_eq!(answers.folder.read_dir().unwrap().count(), 1, "no file is left beside");
    clear(&answers);
}

#[test]
fn an_answer_of_which_one_bit_differs_is_none() {
    let answers = folder("bits");
    answers.write(7, b"proved, assuming nothing").unwrap();
    let whole = fs::read(answers.file(7)).unwrap();
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut other = whole.clone();
            other[at] ^= 1 << bit;
            fs::write(answers.file(7), &other).unwrap();
            assert_eq!(answers.read(7), None, "byte {at}, bit {bit}");
        }
        fs::write(answers.file(7), &whole[..at]).unwrap();
        assert_eq!(answers.read(7), None, "the first {at} bytes");
    }
    fs::write(answers.file(7), [&whole[..], b"x"].concat()).unwrap();
    assert_eq!(answers.read(7), None, "more bytes");
    fs::write(answers.file(7), &whole).unwrap();
    assert!(answers.read(7).is_some());
    clear(&answers);
}

#[test]
fn what_is_no_answer_of_that_name_is_none() {
    let answers = folder("hostile");
    answers.write(7, b"proved").unwrap();
    // An answer to another question.
    fs::copy(answers.file(7), answers.file(8)).unwrap();
    assert_eq!(answers.read(8), None);
    // A link, a folder, a pipe whose writer never comes, an endless file.
    symlink(answers.file(7), answers.file(9)).unwrap();
    fs::create_dir(answers.file(10)).unwrap();
    let pipe = CString::new(answers.file(11).as_os_str().as_bytes()).unwrap();
    // SAFETY: the path ends with a zero.
    assert_eq!(unsafe { libc::mkfifo(pipe.as_ptr(), 0o600) }, 0);
    fs::File::create(answers.file(12)).unwrap().set_len(1 << 40).unwrap();
    symlink("/dev/zero", answers.file(13)).unwrap();
    for name in 9..14 {
        assert_eq!(answers.read(name), None, "{name}");
    }
    // A file that is no answer is replaced, a folder is not.
    for name in [8, 9, 11, 12, 13] {
        answers.write(name, b"open").unwrap();
        assert_eq!(answers.read(name).as_deref(), Some(&b"open"[..]), "{name}");
    }
    assert!(answers.write(10, b"open").is_err());
    assert_eq!(answers.read(7).as_deref(), Some(&b"proved"[..]), "a link is replaced, and not followed");
    clear(&answers);
}

#[test]
fn an_answer_that_other_users_may_write_is_none() {
    let answers = folder("writable");
    answers.write(7, b"proved").unwrap();
    for (mode, counts) in [(0o600, true), (0o644, true), (0o400, true), (0o620, false), (0o602, false)] {
        fs::set_permissions(answers.file(7), fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(answers.read(7).is_some(), counts, "{mode:o}");
    }
    // Nor is one that another user owns, which only root can make here.
    answers.write(7, b"proved").unwrap();
    if std::os::unix::fs::chown(answers.file(7), Some(65_534), None).is_ok() {
        assert_eq!(answers.read(7), None);
    }
    clear(&answers);
}

#[test]
fn files_and_folders_that_are_made_are_private() {
    let parent = folder("private");
    let made = parent.folder.join("warprace/proofs");
    let answers = Answers::at(made.clone()).unwrap();
    answers.write(7, b"proved").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!([mode(&made), mode(made.parent().unwrap()), mode(&answers.file(7))], [0o700, 0o700, 0o600]);
    clear(&parent);
}

#[test]
fn a_folder_that_takes_no_file_is_an_error_and_answers() {
    let answers = folder("full");
    answers.write(7, b"proved").unwrap();
    let gone = Answers { folder: answers.folder.join("gone"), ..answers.clone() };
    assert!(gone.write(7, b"proved").is_err());
    assert_eq!(gone.read(7), None);
    fs::set_permissions(&answers.folder, fs::Permissions::from_mode(0o500)).unwrap();
    // Root writes everywhere.
    // SAFETY: no precondition.
    if unsafe { libc::geteuid() } != 0 {
        assert!(answers.write(8, b"proved").is_err());
    }
    assert_eq!(answers.read(7).as_deref(), Some(&b"proved"[..]));
    fs::set_permissions(&answers.folder, fs::Permissions::from_mode(0o700)).unwrap();
    clear(&answers);
}

#[test]
fn the_oldest_answers_go_when_there_are_too_many_bytes() {
    let answers = Answers { most: 8 * BLOCK, ..folder("bound") };
    let day = |n: u64| SystemTime::UNIX_EPOCH + Duration::from_secs(86_400 * n);
    for name in 0..10 {
        answers.write(name, &[b'x'; 400]).unwrap();
        fs::File::open(answers.file(name)).unwrap().set_modified(day(name as u64)).unwrap();
    }
    let abandoned = answers.folder.join("1.2.3.new");
    fs::File::create(&abandoned).unwrap().set_modified(day(1)).unwrap();
    let others = answers.folder.join("4.5.6.new");
    fs::write(&others, b"").unwrap();
    answers.trim();
    let left: Vec<u128> = (0..10).filter(|&name| answers.read(name).is_some()).collect();
    assert_eq!(left, [4, 5, 6, 7, 8, 9]);
    assert_eq!((abandoned.exists(), others.exists()), (false, true));
    clear(&answers);
}

#[test]
fn threads_that_write_one_answer_leave_a_whole_one() {
    let answers = folder("threads");
    std::thread::scope(|scope| {
        for writer in 0..4u8 {
            let answers = &answers;
            scope.spawn(move || (0..50).for_each(|_| answers.write(7, &[writer; 5000]).unwrap()));
        }
        let whole = (0..200)
            .filter_map(|_| answers.read(7))
            .all(|body| body.len() == 5000 && body.iter().all(|&byte| byte == body[0]));
        assert!(whole);
    });
    assert!(answers.read(7).is_some());
    clear(&answers);
}
