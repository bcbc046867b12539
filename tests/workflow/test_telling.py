def test_days_are_shown_as_dates():
    from rowtrust.workflow.telling import shown

    assert shown(19_340.0, True) == "2022-12-14"
    assert shown(19_340.5, True) == "2022-12-14 12:00"
    assert shown(19_340.0, False) == 19_340.0
