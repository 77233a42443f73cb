//! Shards of made-up campaigns, written, read and gathered.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::Value;
use tempfile::TempDir;

use super::*;

fn campaign(cases: u64) -> Campaign {
    Campaign::new("numbers", cases).with("seed", 7).with("module", "ab12")
}

/// The files of a campaign whose cases are their own results.
fn written(campaign: &Campaign, of: u64, folder: &Path) -> Vec<PathBuf> {
    let write = |shard: Shard| {
        let path = folder.join(format!("{of}-{}.json", shard.number()));
        let cases: Vec<u64> = shard.cases(campaign.cases).collect();
        ShardFile::new(campaign, shard, &cases).unwrap().write(&path).unwrap();
        path
    };
    Shard::all(of).map(write).collect()
}

fn gathered(paths: &[PathBuf]) -> Result<Vec<u64>, String> {
    let all = gather::<Vec<u64>>("numbers", paths).map_err(|error| error.to_string())?;
    Ok(all.results.into_iter().flat_map(|(_, cases)| cases).collect())
}

proptest! {
    #[test]
    fn every_case_is_in_one_shard_and_shards_are_as_long_as_each_other(
        all in prop_oneof![0..200_u64, any::<u64>()], of in 1..50_u64,
    ) {
        let ranges: Vec<_> = Shard::all(of).map(|shard| shard.cases(all)).collect();
        let mut next = 0;
        for range in &ranges {
            prop_assert_eq!(range.start, next);
            next = range.end;
        }
        prop_assert_eq!(next, all);
        let lengths = || ranges.iter().map(|range| range.end - range.start);
        prop_assert!(lengths().max().unwrap() - lengths().min().unwrap() <= 1);
    }

    #[test]
    fn in_any_order_files_give_all_cases_in_theirs(
        cases in 0..60_u64,
        order in (1..12_u64).prop_flat_map(|of| Just((0..of as usize).collect::<Vec<_>>()).prop_shuffle()),
    ) {
        let folder = TempDir::new().unwrap();
        let paths = written(&campaign(cases), order.len() as u64, folder.path());
        let shuffled: Vec<PathBuf> = order.iter().map(|i| paths[*i].clone()).collect();
        prop_assert_eq!(gathered(&shuffled), Ok((0..cases).collect()));
    }

    #[test]
    fn no_byte_of_a_file_can_be_lost_or_changed_without_being_told(
        at in any::<prop::sample::Index>(), bit in 0..8_u32,
    ) {
        let shard = Shard::new(2, 3).unwrap();
        let file = ShardFile::new(&campaign(30), shard, &[1, 2, 3]).unwrap();
        let text = file.text().unwrap().into_bytes();
        let path = Path::new("a.json");
        prop_assert_eq!(&ShardFile::parse(&text, path).unwrap(), &file);
        // The line feed at the end says nothing, so that it may go.
        let at = at.index(text.len() - 1);
        let cut = ShardFile::parse(&text[..at], path);
        let is_told = matches!(cut, Err(CampaignError::NoJson { .. }));
        prop_assert!(is_told);
        let mut changed = text;
        changed[at] ^= 1 << bit;
        prop_assert!(ShardFile::parse(&changed, path).is_err());
    }
}

#[test]
fn a_missing_shard_and_one_that_is_there_twice_are_told_by_number_and_file() {
    let folder = TempDir::new().unwrap();
    let paths = written(&campaign(100), 9, folder.path());
    let some = [0, 4, 8].map(|i| paths[i].clone());
    assert_eq!(gathered(&some), Err("there is no file of shards 2 to 4, 6 to 8 of 9".to_owned()));
    assert_eq!(gathered(&paths[1..]), Err("there is no file of shard 1 of 9".to_owned()));
    let copy = folder.path().join("copy.json");
    std::fs::copy(&paths[4], &copy).unwrap();
    let twice = gathered(&[paths.clone(), vec![copy.clone()]].concat()).unwrap_err();
    let both = format!("{}, {}", paths[4].display(), copy.display());
    assert_eq!(twice, format!("there is more than one file of shard 5/9 ({both})"));
}

#[test]
fn a_shard_of_another_campaign_is_refused_with_what_is_different() {
    let folder = TempDir::new().unwrap();
    let paths = written(&campaign(10), 2, folder.path());
    let other = |campaign: Campaign, of: u64| {
        let folder = TempDir::new().unwrap();
        let others = written(&campaign, of, folder.path());
        let told = gathered(&[paths[0].clone(), others[1].clone()]).unwrap_err();
        let (_, what) = told.rsplit_once(".json: ").unwrap();
        what.to_owned()
    };
    assert_eq!(other(campaign(10).with("seed", 8), 2), "seed is 8, not 7");
    assert_eq!(other(campaign(11), 2), "the number of cases is 11, not 10");
    assert_eq!(other(campaign(10).with("more", 1), 2), "more is 1, not (absent)");
    assert_eq!(other(campaign(10), 3), "the number of shards is 3, not 2");
    let mut newer = campaign(10);
    newer.warpsim = "9.9.9".to_owned();
    let what = other(newer, 2);
    assert!(what.starts_with("the version of warpsim is \"9.9.9\", not "), "{what}");
    let kind = gather::<Vec<u64>>("letters", &paths).unwrap_err().to_string();
    assert!(kind.ends_with("is a shard of `numbers`, not of `letters`"), "{kind}");
}

#[test]
fn what_is_no_file_of_a_shard_is_told_as_such() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.json");
    let told = |text: &str| {
        std::fs::write(&path, text).unwrap();
        gathered(std::slice::from_ref(&path)).unwrap_err()
    };
    assert!(told("").contains("it is cut off"));
    assert!(told("not JSON").contains("it is not JSON"));
    assert!(told("[1]").contains("it does not hold an object"));
    assert!(told("{}").contains("it does not say its `schema`"));
    assert!(told(r#"{"schema": 1}"#).contains("it has no `sha256`"));
    assert!(told(r#"{"schema": 2}"#).contains("of form 2; this version reads form 1"));
    assert!(told(r#"{"schema": 1, "sha256": "00"}"#).contains("is damaged"));
    let missing = gathered(&[folder.path().join("none.json")]).unwrap_err();
    assert!(missing.starts_with("cannot read "), "{missing}");
    assert_eq!(gathered(&[]), Err("no file of a shard was given".to_owned()));
}

#[test]
fn a_shard_that_did_other_cases_than_its_own_is_refused() {
    let shard = Shard::new(2, 3).unwrap();
    let text = ShardFile::new(&campaign(30), shard, &[1]).unwrap().text().unwrap();
    // As a shard would write it that is off by one, digest and all.
    let (body, _) = text.split_once(",\"sha256\"").unwrap();
    let body = format!("{}}}", body.replace("\"first\":10,", "\"first\":11,"));
    let value: Value = serde_json::from_str(&body).unwrap();
    let digest = crate::sha256(&value.to_string());
    let text = format!("{},\"sha256\":\"{digest}\"}}", body.strip_suffix('}').unwrap());
    let told = ShardFile::parse(text.as_bytes(), Path::new("a.json")).unwrap_err().to_string();
    assert_eq!(
        told,
        "a.json says that shard 2/3 did the cases 11 up to 20 (not included); it does 10 up to 20 \
         (not included)"
    );
}

#[test]
fn a_shard_is_read_as_it_is_printed_and_nothing_else_is_one() {
    for shard in Shard::all(12) {
        assert_eq!(shard.to_string().parse(), Ok(shard));
    }
    for text in ["", "1", "0/3", "4/3", "1/0", "-1/3", "+1/3", "1/3/4", "a/b", " 1/2", "1 /2"] {
        assert!(text.parse::<Shard>().is_err(), "{text}");
    }
}
